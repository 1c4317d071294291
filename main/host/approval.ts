// A command that came from a file runs only after a yes that showed it whole. Whoever changes the file changes what is
// shown, and the yes is asked for again.
import type { ServerSpec } from '../../app/contract/server';
import { masked } from '../../app/evidence/dsn';
import type { Scenario } from '../../app/scenario/scenario';
import { maskedUrl } from '../transports/http-headers';
import { quoted, targetOf, targetText } from './commands';
import { specOf, takenFromEnvironment } from './scenario-server';

/** Variables that decide which code a program runs; what is in them is as much the command as its words are. */
const DECIDES =
  /^(?:PATH|ENV|BASH_ENV|SHELL|NODE_(?:OPTIONS|PATH)|(?:LD|DYLD)_.*|PYTHON.*|PERL5?(?:OPT|LIB|5OPT|5LIB)|RUBY(?:OPT|LIB)|(?:_?JAVA|JDK)_.*|CLASSPATH|GIT_.*|NPM_CONFIG_.*|UV_.*|PIP_.*)$/i;

/** The names of the variables that a program is given, with what is in those that decide what runs. */
function givenLine(env: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(env).sort();
  if (names.length === 0) return undefined;
  return `with values for ${names.map((name) => (DECIDES.test(name) ? `${name}=${quoted(masked(env[name] ?? ''))}` : name)).join(', ')}`;
}

/**
 * What has to be agreed to before a server may be started: its whole command line, where it runs, and the variables that it is
 * given: what is in those that decide what runs, of the others their names.
 * @returns undefined where nothing has: nobody but the person has written the command
 */
export function approvalOf(spec: ServerSpec): string | undefined {
  if (spec.kind !== 'stdio' || spec.importedFrom === undefined) return undefined;
  return [targetText(targetOf(spec)), spec.cwd === undefined ? undefined : `in the folder ${spec.cwd}`, givenLine(spec.env)]
    .filter((line) => line !== undefined)
    .join('\n');
}

/**
 * What has to be agreed to before a scenario may be run: the server that it starts, the programs that its probes run, where it
 * sends what it takes from the environment.
 * @returns undefined where nothing has: the demo, watched by probes that only look
 */
export function approvalOfScenario(scenario: Scenario): string | undefined {
  const lines = [...serverLines(scenario), ...scenario.probes.flatMap(probeLines)];
  const names = takenFromEnvironment(scenario);
  if (lines.length === 0) return undefined;
  return [...lines, ...(names.length === 0 ? [] : [`with ${names.join(', ')} from the environment`])].join('\n');
}

function serverLines(scenario: Scenario): readonly string[] {
  const { server } = scenario;
  switch (server.kind) {
    case 'demo':
      return [];
    case 'http':
      return [`requests to ${maskedUrl(server.url)}`];
    case 'stdio': {
      const spec = specOf(scenario);
      if (spec.kind !== 'stdio') return [];
      const given = givenLine(server.env);
      return [targetText(targetOf(spec)), `in the folder ${server.cwd}`, ...(given === undefined ? [] : [given])];
    }
  }
}

const placeOf = ({ cwd }: { readonly cwd?: string | undefined }): string => (cwd === undefined ? '' : `\n  in the folder ${cwd}`);

/** A command of a probe runs as often as it reads; a database is logged in to. */
function probeLines(probe: Scenario['probes'][number]): readonly string[] {
  if (probe.kind === 'command')
    return [`again and again: ${probe.command.map((word) => quoted(masked(word))).join(' ')} (probe ${probe.name})${placeOf(probe)}`];
  if (probe.kind === 'sql') return [`again and again: ${probe.query} on ${masked(probe.dsn)} (probe ${probe.name})`];
  return [];
}
