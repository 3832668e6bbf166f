// The work that every contender does: inputs of 200 bytes, each another one, and a result of 200 bytes as JSON.

const INPUT_BYTES = 200;
const ORIGIN = "https://example.com/";

export const RESULT = { content: "x".repeat(INPUT_BYTES - '{"content":""}'.length) };

function inputUrl(job, index) {
  const name = `/${job}/${index}`;
  return ORIGIN + "p".repeat(INPUT_BYTES - ORIGIN.length - name.length) + name;
}

/** The targets of one job. */
export function jobTargets(job, count) {
  return Array.from({ length: count }, (_, index) => ({ url: inputUrl(job, index) }));
}

/** All targets, shared evenly by so many jobs. */
export function batches(targets, jobs) {
  const first = Math.ceil(targets / jobs);
  return Array.from({ length: jobs }, (_, job) => jobTargets(job, Math.min(first, targets - job * first))).filter(
    (batch) => batch.length > 0,
  );
}

/** Caps that let in all that is measured, and nothing that is swept or evicted unless the measurement asks for it. */
export const OPEN_CAPS = {
  targetsPerJob: 1_000_000,
  jobsPerCaller: 1_000_000,
  jobsTotal: 1_000_000,
  maxBytes: 2 ** 40,
  ttlMs: 2 ** 45,
};
