// Grouped bar charts as SVG: no fonts, scripts or styles from outside, the same bytes for the same data.
#pragma once

#include <string>
#include <vector>

namespace fencewise {

struct Series {
  std::string name;            // in the legend
  std::vector<double> values;  // [label]; a negative value leaves the place empty
};

struct BarChart {
  std::string title;
  std::string unit;                 // at the axis
  std::vector<std::string> labels;  // groups, from left to right
  std::vector<Series> series;
};

// Charts one below the other.
[[nodiscard]] std::string to_svg(const std::vector<BarChart>& charts);

}  // namespace fencewise
