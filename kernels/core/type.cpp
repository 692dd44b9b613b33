#include "kernels/core/type.h"

namespace fencewise {

std::optional<Type> parse_type(std::string_view text) {
  for (const Type type : {Type::pred, Type::u8, Type::u16, Type::u32, Type::u64, Type::s8, Type::s16,
                          Type::s32, Type::s64, Type::f32, Type::f64})
    if (text == name(type)) return type;
  return std::nullopt;
}

}  // namespace fencewise
