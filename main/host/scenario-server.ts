// The server of a scenario as something to connect to, with what its file takes from the environment filled in: so a file
// has a secret without holding it.
import type { ServerSpec } from '../../app/contract/server';
import type { ProbeSpec } from '../../app/evidence/probe';
import { environmentIn, withEnvironment } from '../../app/evidence/variables';
import type { Scenario, ScenarioServer } from '../../app/scenario/scenario';
import { type Path, type Problem, ScenarioError } from '../../app/scenario/schema';

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a scenario's server is described to whoever connects to it. */
export function specOf({ server, name }: Pick<Scenario, 'server' | 'name'>): ServerSpec {
  const insisted = server.protocol === undefined ? {} : { protocol: server.protocol };
  if (server.kind === 'demo') return { kind: 'demo', ...(server.over === undefined ? {} : { over: server.over }), ...insisted };
  const title = name === undefined ? {} : { title: name };
  if (server.kind === 'http') {
    const { url, transport, headers } = server;
    return { kind: 'http', url, transport, headers: { ...headers }, ...title, ...insisted };
  }
  const { command, args, env, cwd } = server;
  return { kind: 'stdio', command, args: [...args], env: { ...env }, cwd, watch: [], ...title, ...insisted };
}

/**
 * A scenario with the variables of the environment filled in: those of its server's environment and headers, and of the
 * addresses of its databases. Nowhere else, because everything else is recorded.
 * @throws ScenarioError naming those that are not set
 */
export function inEnvironment(scenario: Scenario, environment: Environment): Scenario {
  const lacking = secretPlaces(scenario).flatMap(({ path, value }) =>
    environmentIn(value)
      .filter((name) => environment[name] === undefined)
      .map((name): Problem => ({ path, says: `expected the environment variable ${name} to be set, got none` })),
  );
  if (lacking.length > 0) throw new ScenarioError(lacking);
  return {
    ...scenario,
    server: filledServer(scenario.server, environment),
    probes: scenario.probes.map((probe) => filledProbe(probe, environment)),
  };
}

/** The names that a scenario takes from the environment. */
export const takenFromEnvironment = (scenario: Scenario): readonly string[] => [
  ...new Set(secretPlaces(scenario).flatMap(({ value }) => environmentIn(value))),
];

interface Place {
  readonly path: Path;
  readonly value: string;
}

function secretPlaces({ server, probes }: Scenario): readonly Place[] {
  const [field, values] = server.kind === 'stdio' ? ['env', server.env] : server.kind === 'http' ? ['headers', server.headers] : ['', {}];
  return [
    ...Object.entries(values).map(([name, value]) => ({ path: ['server', field, name], value })),
    ...probes.flatMap((probe) => (probe.kind === 'sql' ? [{ path: ['probes', probe.name, 'sql'], value: probe.dsn }] : [])),
  ];
}

function filledServer(server: ScenarioServer, environment: Environment): ScenarioServer {
  switch (server.kind) {
    case 'demo':
      return server;
    case 'stdio':
      return { ...server, env: withEnvironment(server.env, environment) };
    case 'http':
      return { ...server, headers: withEnvironment(server.headers, environment) };
  }
}

const filledProbe = (probe: ProbeSpec, environment: Environment): ProbeSpec =>
  probe.kind === 'sql' ? { ...probe, dsn: withEnvironment(probe.dsn, environment) } : probe;
