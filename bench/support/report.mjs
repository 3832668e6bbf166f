// The numbers as a page of Markdown, which is read as well in a terminal.

const METRICS = {
  rate: { name: "targets/s", digits: 0 },
  microseconds: { name: "µs a target", digits: 1 },
  cpuMicroseconds: { name: "CPU µs a target", digits: 1 },
  longestGapMs: { name: "longest without a turn, ms", digits: 1 },
  peakRssMb: { name: "peak RSS, MB", digits: 0 },
  turnaroundP50: { name: "turnaround p50, µs", digits: 1 },
  turnaroundP99: { name: "turnaround p99, µs", digits: 1 },
  target: { name: "µs a target", digits: 1 },
  submit: { name: "µs a submit", digits: 1 },
  cancel: { name: "µs a cancel", digits: 1 },
  status: { name: "µs a status", digits: 1 },
  sweep: { name: "µs a swept job", digits: 1 },
  evict: { name: "µs an eviction", digits: 1 },
  bytes: { name: "bytes a job", digits: 0 },
  submitMs: { name: "longest submit, ms", digits: 1 },
  addedKb: { name: "added heap, KB", digits: 0 },
  startMs: { name: "start, ms", digits: 1 },
  importMs: { name: "import, ms", digits: 1 },
  openMs: { name: "open, ms", digits: 1 },
  createMs: { name: "create, ms", digits: 1 },
  requests: { name: "requests/s", digits: 0 },
  jobs: { name: "jobs/s", digits: 0 },
  statusP50: { name: "status p50, ms", digits: 1 },
  statusP99: { name: "status p99, ms", digits: 1 },
  submitP99: { name: "submit p99, ms", digits: 1 },
  cancelP99: { name: "cancel p99, ms", digits: 1 },
};

export function report({ measuredAt, machine, versions, size, comparisons }) {
  const goals = comparisons.flatMap((comparison) => comparison.goals ?? []);
  return [
    `Measured on ${measuredAt.slice(0, 10)}: ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}. ` +
      `${size.targets} targets, ${size.rounds} rounds. Medians; in brackets the lowest and the highest.`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
    ...comparisons.map(section),
    ...(goals.length > 0 ? ["### Goals", goalTable(goals)] : []),
  ].join("\n\n");
}

/** One comparison as it is printed while the others are still to come. */
export function section({ title, inside, notes = [], skipped, rows = [], ratios = [] }) {
  const parts = [`### ${title}`, [inside, ...notes].join(" ")];
  if (skipped) return [...parts, `Not measured: ${skipped}.`].join("\n\n");
  parts.push(rowTable(rows));
  if (ratios.length > 0) parts.push(ratioTable(ratios));
  return parts.join("\n\n");
}

function rowTable(rows) {
  const metrics = Object.keys(rows[0]).filter((key) => key !== "name" && rows.some((row) => row[key]));
  const body = rows.map((row) => [
    row.name,
    ...metrics.map((metric) => spreadText(row[metric], METRICS[metric].digits)),
  ]);
  return table(["", ...metrics.map((metric) => METRICS[metric].name)], body);
}

function ratioTable(ratios) {
  const body = ratios.map((ratio) => [ratio.name, METRICS[ratio.metric].name, spreadText(ratio, 2)]);
  return table(["paired ratio", "of", "median"], body);
}

export function goalTable(goals) {
  const body = goals.map(({ text, value, atLeast, atMost, stretch, met }) => [
    text,
    `${atLeast === undefined ? "at most" : "at least"} ${atLeast ?? atMost}${stretch ? `, stretch ${stretch}` : ""}`,
    value.toFixed(2),
    met ? "met" : "missed",
  ]);
  return table(["goal", "limit", "measured", ""], body);
}

function spreadText(spread, digits) {
  if (spread === undefined) return "–";
  const [median, lowest, highest] = [spread.median, spread.lowest, spread.highest].map((value) =>
    value.toFixed(digits),
  );
  return lowest === highest ? median : `${median} (${lowest}–${highest})`;
}

function table(head, body) {
  const lines = [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...body];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
