// How the command line ends. Public: scripts and CI read these numbers.
export const EXIT = {
  /** All expectations hold, and nothing that would fail the run was found that no expectation names. */
  ok: 0,
  found: 1,
  /** The input or the command line is wrong. */
  wrongInput: 2,
  /** The server could not be reached, or did not speak MCP. */
  notReached: 3,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What is said on one line before the process ends with a code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: ExitCode;
  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const wrongInput = (message: string): CliError => new CliError(EXIT.wrongInput, message);
export const notReached = (message: string): CliError => new CliError(EXIT.notReached, message);
/** Somebody pressed Ctrl-C: what was recorded so far is still reported. */
export const interrupted = (): CliError => new CliError(EXIT.interrupted, 'interrupted');
