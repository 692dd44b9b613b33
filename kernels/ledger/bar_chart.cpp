#include "kernels/ledger/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace fencewise {
namespace {

constexpr double chart_width = 760, chart_height = 300;         // of one chart
constexpr double left = 80, right = 20, top = 54, bottom = 40;  // margins of its axes
constexpr std::array<std::string_view, 6> colours{"#3b6ea8", "#d9822b", "#5a9e6f",
                                                  "#a85b8f", "#8a7a4f", "#6b6b6b"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// 1, 2 or 5 times a power of ten: at least `value`.
double round_top(double value) {
  if (!(value > 0)) return 1;
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (const double m : {1.0, 2.0, 5.0})
    if (m * decade >= value) return m * decade;
  return 10 * decade;
}

class Drawing {
 public:
  Drawing(const BarChart& chart, double offset) : chart_(chart), offset_(offset) {
    double largest = 0;
    for (const Series& s : chart.series)
      for (const double v : s.values) largest = std::max(largest, v);
    ceiling_ = round_top(largest);
  }

  std::string draw() {
    text(chart_width / 2, 20, "middle", chart_.title, 15);
    legend();
    grid();
    for (std::size_t s = 0; s < chart_.series.size(); ++s) bars(s);
    for (std::size_t g = 0; g < chart_.labels.size(); ++g)
      text(left + group_width() * (static_cast<double>(g) + 0.5), chart_height - bottom + 18, "middle",
           chart_.labels[g], 12);
    return svg_;
  }

 private:
  [[nodiscard]] double group_width() const {
    return (chart_width - left - right) / static_cast<double>(std::max<std::size_t>(1, chart_.labels.size()));
  }
  [[nodiscard]] double y_of(double value) const {
    return chart_height - bottom - value / ceiling_ * (chart_height - top - bottom);
  }

  void text(double x, double y, std::string_view anchor, std::string_view content, int size) {
    svg_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" font-size="{}">{}</text>)"
                        "\n",
                        x, y + offset_, anchor, size, escaped(content));
  }
  void rectangle(double x, double y, double w, double h, std::string_view colour, const std::string& tip) {
    svg_ += fmt::format(
        R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}"><title>{}</title></rect>)"
        "\n",
        x, y + offset_, w, h, colour, escaped(tip));
  }

  void legend() {
    double x = left;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      rectangle(x, 32, 12, 12, colours[s % colours.size()], chart_.series[s].name);
      text(x + 17, 42, "start", chart_.series[s].name, 12);
      x += 40 + 7.5 * static_cast<double>(chart_.series[s].name.size());
    }
  }

  void grid() {
    for (int i = 0; i <= 5; ++i) {
      const double value = ceiling_ * i / 5;
      svg_ += fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="#ddd"/>)"
                          "\n",
                          left, y_of(value) + offset_, chart_width - right, y_of(value) + offset_);
      text(left - 6, y_of(value) + 4, "end", fmt::format("{:g}", value), 11);
    }
    text(left - 6, 42, "end", chart_.unit, 11);  // on the legend's line, clear of the topmost number
  }

  void bars(std::size_t s) {
    const auto count = static_cast<double>(chart_.series.size());
    const double w = group_width() * 0.8 / count;
    const Series& series = chart_.series[s];
    for (std::size_t g = 0; g < series.values.size(); ++g) {
      const double value = series.values[g];
      if (value < 0) continue;
      const double x = left + group_width() * (static_cast<double>(g) + 0.1) + w * static_cast<double>(s);
      rectangle(x, y_of(value), w, chart_height - bottom - y_of(value), colours[s % colours.size()],
                fmt::format("{} {}: {:g} {}", chart_.labels[g], series.name, value, chart_.unit));
    }
  }

  const BarChart& chart_;
  double offset_;
  double ceiling_ = 1;
  std::string svg_;
};

}  // namespace

std::string to_svg(const std::vector<BarChart>& charts) {
  const double total = chart_height * static_cast<double>(charts.size());
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" font-family="sans-serif">)"
      "\n"
      R"(<rect width="100%" height="100%" fill="white"/>)"
      "\n",
      chart_width, total);
  for (std::size_t c = 0; c < charts.size(); ++c)
    svg += Drawing(charts[c], chart_height * static_cast<double>(c)).draw();
  return svg + "</svg>\n";
}

}  // namespace fencewise
