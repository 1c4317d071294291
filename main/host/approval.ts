// A command that came from a file runs only after a yes that showed it whole. Whoever changes the file changes what is
// shown, and the yes is asked for again.
import type { ServerSpec } from '../../app/contract/server';
import { masked } from '../../app/evidence/dsn';
import type { Scenario } from '../../app/scenario/scenario';
import { maskedUrl } from '../transports/http-headers';
import { quoted, targetOf, targetText } from './commands';
import { specOf, takenFromEnvironment } from './scenario-server';

/**
 * What has to be agreed to before a server may be started: its whole command line, where it runs, and the names of the
 * variables that it is given.
 * @returns undefined where nothing has: nobody but the person has written the command
 */
export function approvalOf(spec: ServerSpec): string | undefined {
  if (spec.kind !== 'stdio' || spec.importedFrom === undefined) return undefined;
  const names = Object.keys(spec.env).sort();
  return [
    targetText(targetOf(spec)),
    spec.cwd === undefined ? undefined : `in the folder ${spec.cwd}`,
    names.length === 0 ? undefined : `with values for ${names.join(', ')}`,
  ]
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
      const names = Object.keys(server.env).sort();
      const spec = specOf(scenario);
      if (spec.kind !== 'stdio') return [];
      return [
        targetText(targetOf(spec)),
        `in the folder ${server.cwd}`,
        ...(names.length === 0 ? [] : [`with values for ${names.join(', ')}`]),
      ];
    }
  }
}

/** A command of a probe runs as often as it reads; a database is logged in to. */
function probeLines(probe: Scenario['probes'][number]): readonly string[] {
  if (probe.kind === 'command')
    return [`again and again: ${probe.command.map((word) => quoted(masked(word))).join(' ')} (probe ${probe.name})`];
  if (probe.kind === 'sql') return [`again and again: ${probe.query} on ${masked(probe.dsn)} (probe ${probe.name})`];
  return [];
}
