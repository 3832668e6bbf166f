export { type JobContext, type JobEvent, type JobInput, type JobRef, jobMachine } from "./job-machine.js";
export { type SchedulerContext, type SchedulerEvent, schedulerMachine } from "./scheduler-machine.js";
export { type Turn, type WorkerContext, type WorkerEvent, type WorkerRef, workerMachine } from "./worker-machine.js";
