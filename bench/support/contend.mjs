// The child's side of a measurement: options come as the one argument, what was measured goes out as the last line.

export async function contend(work) {
  const measured = await work(JSON.parse(process.argv[2]));
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(`\n${JSON.stringify({ ...measured, peakRssMb })}\n`);
  // Peers leave timers and sockets behind.
  process.exit(0);
}

/**
 * Times work on targets: wall and processor time a target, and the longest time that the event loop did not turn since the work
 * said that all is submitted.
 */
export async function timed(targets, work) {
  const gaps = watchEventLoop();
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  await work(gaps.beginAnew);
  const tookMs = performance.now() - beganMs;
  const { user, system } = process.cpuUsage(cpu);
  const longestGapMs = gaps.longestMs();
  const microseconds = (tookMs * 1000) / targets;
  return { rate: targets / (tookMs / 1000), microseconds, cpuMicroseconds: (user + system) / targets, longestGapMs };
}

/** A timer of 1 ms that notes how late it is: about 0.1 % of the time, the same for everybody. */
function watchEventLoop() {
  let longest = 0;
  let last = performance.now();
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(tick, 1);
  return {
    beginAnew() {
      longest = 0;
      last = performance.now();
    },
    longestMs() {
      clearInterval(timer);
      // A contender that never let go of the event loop has had no tick at all.
      tick();
      return longest;
    },
  };
}
