/** Ends the command: the message is for a person, the exit code is 2 (bad usage or unreadable input) unless given. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
