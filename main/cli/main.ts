// The command line: the same host as the window's, without a window. One word, one command; each has a file of its own.
import path from 'node:path';
import { demoRace } from './demo-race';

const here = import.meta.dirname;

/** What each command does; it resolves with the exit code. */
const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  'demo-race': () => demoRace({ demoScript: path.join(here, 'demo.js'), print: (line) => process.stdout.write(`${line}\n`) }),
};

/** Exit codes: the command line is wrong; the server could not be reached, or something else went wrong on the way. */
const WRONG_INPUT = 2;
const NOT_REACHED = 3;

async function main([word, ...rest]: readonly string[]): Promise<number> {
  const command = word !== undefined && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (command && rest.length === 0) {
    try {
      return await command();
    } catch (error) {
      process.stderr.write(`stopgap: ${error instanceof Error ? error.message : String(error)}\n`);
      return NOT_REACHED;
    }
  }
  const seen = command ? `“${rest.join(' ')}” after it` : word === undefined ? 'none' : `“${word}”`;
  process.stderr.write(`stopgap: expected one of the commands ${Object.keys(COMMANDS).join(', ')}, got ${seen}.\n`);
  return WRONG_INPUT;
}

process.exitCode = await main(process.argv.slice(2));
