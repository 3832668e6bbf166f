// The prose of docs/state-machines.md. What can be read off the machines is not here: see scripts/diagrams.mjs.

/** How docs/state-machines.md begins. */
export const HEAD = `<!-- Made by scripts/diagrams.mjs from src/machines: edit those, then run \`npm run build && npm run diagrams\`. -->

# The state machines

A runner is one actor system of three kinds of actor. The **scheduler** is its root. Each **worker** is a child of it and
fetches one target at a time. Each live **job** is an actor under it too. The machines are pure: what touches the store, the
fetch or the hooks is an action that the runner provides. They are exported from \`fairbatch/machines\`.

One turn, when all goes well:

\`\`\`mermaid
sequenceDiagram
  participant job
  participant scheduler
  participant worker
  worker->>scheduler: worker.idle
  job->>scheduler: job.ready
  scheduler->>job: target.taken
  scheduler->>worker: worker.take
  Note over worker: starts, fetches
  worker->>scheduler: worker.asking
  scheduler->>worker: worker.take
  Note over worker: stores, and starts the next one with it
  worker->>job: target.stored
  Note over worker: fetches the next one
\`\`\`

Events are \`noun.verb\`. In the diagrams \`event [guard]\` is a transition, \`after name\` one that a delay takes, and a diamond
asks the guards in turn, from the top of the table. The tables below each diagram say what the words mean.`;

const ANSWERS = {
  "target.refused": "There is nothing to start: the store found the job cancelled or gone.",
  "target.unstarted": "The store refused to write that the target is started; nothing was fetched.",
  "target.stored":
    "The target is over, done or `failed`, and that is stored. `live` is false for a job cancelled elsewhere. `again`: the worker goes on with the job's next target.",
  "target.deferred": "The target wants to be tried again after `waitMs`, and is stored as pending once more.",
  "target.unsaved": "The store refused to write how the target came out.",
};

/** What docs/state-machines.md says of each machine; scripts/diagrams.mjs checks that nothing is left out or out of date. */
export const PROSE = {
  jobMachine: {
    about: `One live job, from its submit to its end. The row in the store decides and this machine follows: it is told of
nothing before it is stored. Its context holds counts, never the targets: 100,000 of them cost no more than 10. \`queued\`,
\`running\` and the four ends are the words of the row; the row of a job that is \`draining\` says \`cancelled\` already.`,
    invariants: [
      "At most one target is under way, and target i+1 never starts before i is stored.",
      "A target is counted once, when it is stored.",
      "Each end is announced once: `announceEnd` for a job that ended by itself, `announceCancelled` at the moment of the cancel.",
      "Only the states that wait (`waiting`, `pausing`) have a timer; a job that is over has none.",
    ],
    states: {
      entering: "How does its row stand? A new job goes on to `queued`, one of an earlier runner to where it was left.",
      queued: "No target was started yet.",
      "queued.ready": "In the rotation, waiting for its first turn.",
      "queued.starting": "A worker is about to start the first target.",
      "queued.waiting": "The store refused that start; the job asks for a turn again later.",
      running: "At least one target was started.",
      "running.ready": "In the rotation, waiting for its next turn.",
      "running.inFlight": "A worker has the target: it starts it, fetches it, stores it, and may go on with the next.",
      "running.waiting": "The target, or the store, is tried again later. The worker is free.",
      "running.saving": "The target is over, but the store refused the write. The worker is free; the result is held.",
      "running.saving.pausing": "Until the next try.",
      "running.saving.writing": "The write is being tried.",
      draining:
        "Cancelled, and its slot is free, but a target is still under way: it finishes, and no later one starts.",
      "draining.inFlight": "The worker still has the target.",
      "draining.saving": "The store refused to write how that target came out.",
      "draining.saving.pausing": "Until the next try.",
      "draining.saving.writing": "The write is being tried.",
      done: "All targets are done.",
      partial: "Some targets are done and some failed.",
      failed: "All targets failed.",
      cancelled: "Cancelled, by this runner or elsewhere, and nothing is under way.",
    },
    events: {
      "job.cancel": ["the runner", "The row says `cancelled` already."],
      "job.save": ["the runner", "It is closing: the held write is tried now."],
      "target.taken": ["the scheduler", "A worker has the job's turn."],
      "target.started": ["the worker", "The job's first target is stored as running."],
      ...answersFrom("the worker", "target.refused", "target.unstarted"),
      ...answersFrom(
        "the worker; in `saving` the effect `saveTarget`",
        "target.stored",
        "target.deferred",
        "target.unsaved",
      ),
    },
    guards: {
      wasWaiting: "An earlier runner left it running, and its next target is not due yet.",
      wasRunning: "An earlier runner left it running.",
      wasCancelled: "The store found the job cancelled by somebody else.",
      isTakenAgain: "The worker goes on with this job's next target, which stays in flight.",
      hasMoreTargets: "This was not the last target.",
      endsDone: "This was the last target, and none failed.",
      endsPartial: "This was the last target, and some failed.",
      endsFailed: "This was the last target, and all failed.",
    },
    delays: {
      wait: "What `target.deferred` says, or what is left of it after a restart; after a start that the store refused, `retryWaitMs`.",
      storeRetryWait: "`retryWaitMs`.",
    },
  },
  workerMachine: {
    about: `One worker. It takes a job's next target, has it marked as started, fetches it, has the outcome stored, and goes on with
the turn that it was given meanwhile, or is idle. Each state but \`idle\` runs one effect on entry, and each effect answers with
one event.`,
    invariants: [
      "One target at a time; every turn ends in the next one or in `idle`.",
      "The job of the turn is told of what is stored, and nobody else is. The scheduler only hears that the worker asks for its next turn, or is idle.",
      "A write that the store refuses ends the turn as well: the job tries it again, and the worker is free for others.",
    ],
    states: {
      idle: "Waits for a turn. Before it says so it lets the event loop turn.",
      starting: "Marks the target as started and reads what the fetch is to be given.",
      fetching: "Runs the user's fetch, and lets the event loop turn after it.",
      storing:
        "Asks for its next turn; stores that the target is done or failed and, in the same transaction, that the next one is started.",
      deferring: "Stores that the target is to be tried again.",
    },
    events: {
      "worker.take": ["the scheduler", "A turn of this job; in `storing` the one to take next."],
      "target.started": ["`startTarget`", "The target is stored as running; `first` says that it is the job's first."],
      "target.faulted": [
        "`startTarget`",
        "The target failed without a fetch: its row cannot be read, or not be written, or it was interrupted too often. `hasMore`: its job has more.",
      ],
      ...answersFrom("`startTarget`", "target.refused", "target.unstarted"),
      "fetch.settled": [
        "`fetchTarget`",
        "The fetch is `over`, or wants to be tried `later`. `hasMore`: its job has more targets, and is not cancelled.",
      ],
      "target.stored": ["`storeTarget`", `${ANSWERS["target.stored"]} \`begun\`: the next target is started already.`],
      ...answersFrom("`storeTarget`, `deferTarget`", "target.unsaved"),
      ...answersFrom("`deferTarget`", "target.deferred"),
    },
    guards: {
      isFirstOfJob: "The job had no target started before; only then it is told of a start.",
      isRetryLater: "The fetch answered that it wants to be tried later.",
      isNextBegun: "The next target was started with the storing of this one.",
      hasNext: "A turn was given meanwhile, and its job can still take it.",
    },
    delays: {},
  },
  schedulerMachine: {
    about: `The root. It keeps the jobs that are ready, in submit order, and the workers that are idle, in the order in which they
became so, and pairs them: the next job after the one taken last, round and round, with the worker that has been idle the
longest. A worker that is about to store asks for its next turn at once. Jobs that are being stored for stand in their places
meanwhile: its own may be taken again, and where another's is next, the worker gets no turn before that is stored.
The scheduler knows a job only while that is ready, so a turn costs O(log ready jobs) however many jobs wait.`,
    invariants: [
      "While open, never is a job ready and a worker idle between two events.",
      "Once closed, nobody is given a turn.",
    ],
    states: {
      open: "Whoever becomes ready or idle is paired at once, where there is somebody to pair with.",
      closed: "The runner is closing: targets under way finish, and nothing new starts.",
    },
    events: {
      "job.ready": ["the job", "It could take a turn; `place` is its place in submit order."],
      "job.left": [
        "the job",
        "It is not ready any more, or will not be once it is stored: cancelled, or the store refuses it.",
      ],
      "worker.idle": ["the worker", "It could take a turn."],
      "worker.asking": [
        "the worker",
        "It is about to store a target of `turn`, and takes its next turn after that. `hasMore`: that was not the job's last.",
      ],
      "scheduler.close": ["the runner", "Give nobody a turn any more."],
      "job.drop": ["the runner", "Stop this job's actor, and its timer with it."],
    },
    guards: {
      isWorkerIdle: "A worker is idle.",
      isJobReady: "A job is ready.",
      isSameJobNext: "The job that the worker stores for goes on, and no other comes before it.",
      isOtherJobNext: "A job is ready, and none that another worker stores for comes before it.",
    },
    delays: {},
  },
};

function answersFrom(sender, ...types) {
  return Object.fromEntries(types.map((type) => [type, [sender, ANSWERS[type]]]));
}
