#include "kernels/core/address_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/core/error.h"
#include "kernels/core/flow.h"

namespace fencewise {

std::uint32_t AddressSpace::add(Allocation allocation) {
  const auto number = static_cast<std::uint32_t>(allocations_.size());
  if (allocation.bytes >= (std::uint64_t{1} << 32U)) throw InputError(fmt::format("'{}' is larger than 4 GiB", allocation.name));
  if (allocation.storage == no_event) allocation.storage = number;
  allocations_.push_back(std::move(allocation));
  return number;
}

std::optional<Resolved> AddressSpace::resolve(std::uint64_t address, std::uint32_t bytes) const {
  const std::uint64_t number = (address >> 32U) - 1;
  const std::uint64_t offset = address & 0xffff'ffffU;
  if (number >= allocations_.size()) return std::nullopt;
  const Allocation& a = allocations_[number];
  if (offset + bytes > a.bytes) return std::nullopt;
  return Resolved{{a.storage, static_cast<std::uint32_t>(offset), bytes}, a.alias};
}

namespace {

// "ws[3]", "last" where a variable is a single element and `plain` allows that, "ws+2 bytes" within an element.
std::string name_in(const std::string& name, Type type, std::uint64_t bytes, std::uint64_t offset, bool plain) {
  const std::uint32_t element = size_of(type);
  if (plain && bytes == element && offset == 0) return name;
  if (offset % element == 0) return fmt::format("{}[{}]", name, offset / element);
  return fmt::format("{}+{} bytes", name, offset);
}

}  // namespace

std::string AddressSpace::name(const Location& location) const {
  if (!location.known() || location.storage >= allocations_.size()) return "?";
  const Allocation& a = allocations_[location.storage];
  const ArrayPart* part = part_at(a.parts, location.offset);
  std::string text =
      part != nullptr
          ? name_in(part->name, part->element, part->length * size_of(part->element), location.offset - part->offset, true)
          : name_in(a.name, a.element, a.bytes, location.offset, a.space == StateSpace::global);
  if (!a.owner.empty()) text += fmt::format(" of {}", a.owner);
  return text;
}

std::uint64_t ThreadProgram::special(SpecialRegister special) const {
  const std::uint32_t lane = warp_size > 1 ? coordinates.index_in_cta % warp_size : 0;
  const std::uint64_t bit = std::uint64_t{1} << lane;
  switch (special) {
    case SpecialRegister::tid_x: return coordinates.tid[0];
    case SpecialRegister::tid_y: return coordinates.tid[1];
    case SpecialRegister::tid_z: return coordinates.tid[2];
    case SpecialRegister::ntid_x: return block.x;
    case SpecialRegister::ntid_y: return block.y;
    case SpecialRegister::ntid_z: return block.z;
    case SpecialRegister::ctaid_x: return coordinates.ctaid[0];
    case SpecialRegister::ctaid_y: return coordinates.ctaid[1];
    case SpecialRegister::ctaid_z: return coordinates.ctaid[2];
    case SpecialRegister::nctaid_x: return grid.x;
    case SpecialRegister::nctaid_y: return grid.y;
    case SpecialRegister::nctaid_z: return grid.z;
    case SpecialRegister::laneid: return lane;
    case SpecialRegister::warpid: return coordinates.index_in_cta / std::max(1U, warp_size);
    case SpecialRegister::nwarpid: return (block.count() + warp_size - 1) / std::max(1U, warp_size);
    case SpecialRegister::lanemask_eq: return bit;
    case SpecialRegister::lanemask_lt: return bit - 1;
    case SpecialRegister::lanemask_le: return (bit << 1U) - 1;
    case SpecialRegister::lanemask_gt: return 0xffff'ffffU & ~((bit << 1U) - 1);
    case SpecialRegister::lanemask_ge: return 0xffff'ffffU & ~(bit - 1);
    case SpecialRegister::clock: throw InternalError("a clock has no fixed value");  // the interpreter gives a free one
  }
  return 0;
}

namespace {

void add_buffers(AddressSpace& memory, const Problem& problem) {
  std::map<std::uint32_t, std::uint32_t> names_of_storage;  // how many virtual names a storage has
  for (const Buffer& buffer : problem.buffers) {
    Allocation a;
    a.name = buffer.name;
    a.element = buffer.element;
    a.bytes = buffer.length * size_of(buffer.element);
    a.buffer = BufferId{memory.size()};
    a.storage = no_event;
    if (buffer.alias_of) {
      const Allocation& target = memory[buffer.alias_of->value];
      a.storage = target.storage;
      a.alias = buffer.own_address ? ++names_of_storage[target.storage] : target.alias;
    }
    memory.add(std::move(a));
  }
}

class ImageBuilder {
 public:
  ImageBuilder(const Problem& problem, const Stage& stage) : problem_(problem), stage_(stage) {
    add_buffers(image_.memory, problem);
    for (const Kernel& kernel : problem.kernels) {
      auto headers = std::make_shared<std::vector<bool>>(kernel.blocks.size(), false);
      for (const Loop& loop : natural_loops(kernel)) (*headers)[loop.header.value] = true;
      loop_headers_.push_back(std::move(headers));
    }
  }

  LaunchImage build() {
    for (std::uint32_t n = 0; n < stage_.launches.size(); ++n) add(n);
    image_.ctas = static_cast<std::uint32_t>(ctas_.size());
    return std::move(image_);
  }

 private:
  [[nodiscard]] const Launch& launch(std::uint32_t n) const { return problem_.launches[stage_.launches[n].value]; }

  void add(std::uint32_t n) {
    image_.first_cta.push_back(static_cast<std::uint32_t>(ctas_.size()));
    const CtaId first_cta = next_cta_;
    const ClusterId first_cluster = next_cluster_;
    for (ThreadCoordinates c : threads_of(launch(n))) {
      c.placement.cta.value += first_cta.value;
      c.placement.cluster.value += first_cluster.value;
      next_cta_.value = std::max(next_cta_.value, c.placement.cta.value + 1);
      next_cluster_.value = std::max(next_cluster_.value, c.placement.cluster.value + 1);
      const std::uint32_t cta = cta_number(c.placement.cta);
      image_.cta_of.push_back(cta);
      image_.launch_of.push_back(n);
      image_.threads.push_back(thread(c, launch(n), cta));
    }
  }

  std::uint32_t cta_number(CtaId id) { return ctas_.try_emplace(id, static_cast<std::uint32_t>(ctas_.size())).first->second; }

  ThreadProgram thread(const ThreadCoordinates& c, const Launch& launch, std::uint32_t cta) {
    ThreadProgram t;
    t.kernel = &problem_.kernels[c.kernel.value];
    t.coordinates = c;
    t.grid = launch.grid;
    t.block = launch.block;
    t.warp_size = launch.warp_size;
    t.params = launch.params;
    t.loop_headers = loop_headers_[c.kernel.value];
    const auto bindings = bindings_of(problem_, launch, c.kernel);
    for (std::uint32_t n = 0; n < t.kernel->arrays.size(); ++n)
      t.array_base.push_back(AddressSpace::base(bindings[n] ? bindings[n]->value : own_array(*t.kernel, c.kernel, n, cta)));
    return t;
  }

  // The allocation of a shared or local array.
  std::uint32_t own_array(const Kernel& kernel, KernelId id, std::uint32_t n, std::uint32_t cta) {
    const ArrayDecl& decl = kernel.arrays[n];
    const bool shared = decl.space == StateSpace::shared;
    const auto key = std::array{id.value, n, shared ? cta : next_local_++};
    const auto [it, fresh] = own_.try_emplace(key, 0);
    if (fresh || !shared) {
      Allocation a;
      a.name = decl.name;
      a.element = decl.element;
      a.parts = decl.parts;
      a.bytes = decl.length * size_of(decl.element);
      a.space = decl.space;
      if (shared) a.owner = cta_name(cta);
      a.storage = no_event;
      it->second = image_.memory.add(std::move(a));
    }
    return it->second;
  }

  // As threads are named (witness_builder.cpp).
  [[nodiscard]] std::string cta_name(std::uint32_t cta) const {
    const std::string name = fmt::format("CTA {}", cta - image_.first_cta.back());
    return stage_.launches.size() == 1 ? name
                                       : fmt::format("launch {} {}", stage_.launches[image_.first_cta.size() - 1].value + 1, name);
  }

  const Problem& problem_;
  const Stage& stage_;
  LaunchImage image_;
  std::vector<std::shared_ptr<const std::vector<bool>>> loop_headers_;  // [kernel]
  std::map<CtaId, std::uint32_t> ctas_;
  CtaId next_cta_{0};
  ClusterId next_cluster_{0};
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> own_;
  std::uint32_t next_local_ = 0;
};

}  // namespace

LaunchImage image_of(const Problem& problem, const Stage& stage) { return ImageBuilder(problem, stage).build(); }
LaunchImage image_of(const Problem& problem, LaunchId launch) { return image_of(problem, stage_of(launch)); }

}  // namespace fencewise
