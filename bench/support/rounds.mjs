// Interleaved rounds, medians and paired ratios.

/** Measures each entrant once a round, in turning order, so that a busy machine is busy for all of them. */
export async function interleave(rounds, entrants) {
  const measured = new Map(Object.keys(entrants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = Object.entries(entrants);
    if (round % 2 === 1) order.reverse();
    for (const [name, enter] of order) measured.get(name).push(await enter());
  }
  return measured;
}

function spread(values) {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  return { median: median(sorted), lowest: sorted[0], highest: sorted.at(-1) };
}

/** One row an entrant: the spread of each of these metrics. */
export function rows(measured, metrics) {
  return [...measured].map(([name, measurements]) => ({
    name,
    ...Object.fromEntries(metrics.map((metric) => [metric, spread(measurements.map((one) => one[metric]))])),
  }));
}

/** How many times one entrant's metric is another's, each pair from one round. */
export function pairedRatio(measured, name, besideName, metric = "rate", besideMetric = metric) {
  const beside = measured.get(besideName);
  const values = measured.get(name).map((one, round) => one[metric] / beside[round][besideMetric]);
  return { name: `${name} / ${besideName}`, metric, ...spread(values) };
}

/** A goal of the project, and how a measured number stands to it. */
export function goal(text, value, { atLeast, atMost, stretch }) {
  const met = atLeast === undefined ? value <= atMost : value >= atLeast;
  return { text, value, ...(atLeast === undefined ? { atMost } : { atLeast }), ...(stretch ? { stretch } : {}), met };
}

function median(sorted) {
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
