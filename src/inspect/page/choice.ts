/** What can be chosen: an actor that is no job, or a job, which is still there when its actor is gone. */
export type Choice = { actorId: string } | { jobId: string };

export function choiceKey(choice: Choice): string {
  return "jobId" in choice ? `job:${choice.jobId}` : `actor:${choice.actorId}`;
}
