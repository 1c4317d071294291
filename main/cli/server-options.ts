// What the command line may say of a server beside which one it is, and what is refused where it makes no sense.
import { type CliError, wrongInput } from './exit';
import type { Said } from './terminal';

export interface ServerWordOptions {
  /** Added to the server's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Sent with every request to a server at an address. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values that a configuration asks for, by id. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly said: Said;
}

/** What is said where headers are given to a server that is not spoken to over HTTP. */
export const noHeaders = (): CliError =>
  wrongInput('--header: expected it with an address (http://…), got a server that is spoken to over its pipes');

/** What is said where an address is to be given what only a process has. */
export const addressHasNone = (): CliError => wrongInput('--env and --cwd: expected them with a command line, got an address');

/** What is said where the demo is to be given what only a command line has. */
export const demoHasNone = (): CliError => wrongInput('--env and --cwd: expected them with a server of yours, got the demo');

/** What is said where values are given that nothing asks for. */
export const asksForNothing = (): CliError =>
  wrongInput('--input: expected it with a server of a configuration (name@config.json) that asks for values, got another');
