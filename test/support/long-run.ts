/** `npm run test:long` asks for many times the runs that a change is checked with. */
export const isLongRun = process.env.FAIRBATCH_LONG === "1";
