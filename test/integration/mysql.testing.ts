// A real MariaDB or MySQL for tests, where one is installed: there is none on npm. It runs in a folder of its own on a free
// port of loopback, and lets everybody in.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import mysql from 'mysql2/promise';
import { freePort, giveAway, ordinaryPlace, type Place, runOrdinary, startOrdinary } from './ordinary.testing';

export interface Mysql {
  readonly dsn: string;
  /** A connection of a client. */
  connect(): Promise<mysql.Connection>;
  end(): Promise<void>;
}

const FOLDERS = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/libexec'];

/** Path of the server's program; undefined, and said aloud, when there is none. */
export function findMysql(): string | undefined {
  const found = ['mariadbd', 'mysqld'].flatMap((name) => FOLDERS.map((folder) => path.join(folder, name))).find(isProgram);
  if (found === undefined) console.log('MySQL/MariaDB is not present: its probe was not tried');
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a server. @throws Error with what it said when it does not start */
export async function startMysql(program: string): Promise<Mysql> {
  const place = ordinaryPlace('mysql');
  return startIn(place, program).catch((error: unknown) => {
    place.remove();
    throw error;
  });
}

async function startIn(place: Place, program: string): Promise<Mysql> {
  const data = path.join(place.own, 'data');
  const isMaria = /mariadb/i.test(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout);
  const base = ['--no-defaults', `--datadir=${data}`];
  // MySQL makes its system tables itself; MariaDB does without them when it asks nobody who he is.
  if (isMaria) {
    mkdirSync(data);
    giveAway(data);
  } else await runOrdinary(program, [...base, '--initialize-insecure']);
  const port = await freePort();
  const options = [
    ...base,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${path.join(place.own, 'socket')}`,
    `--pid-file=${path.join(place.own, 'pid')}`,
    ...(isMaria ? ['--skip-grant-tables'] : ['--mysqlx=off']),
  ];
  const server = await startOrdinary(program, options, /ready for connections/);
  const at = `mysql://root@127.0.0.1:${port}`;
  const first = await mysql.createConnection({ uri: at });
  await first.query('create database shop');
  await first.end();
  return {
    dsn: `${at}/shop`,
    connect: () => mysql.createConnection({ uri: `${at}/shop` }),
    async end() {
      await server.end('SIGKILL');
      place.remove();
    },
  };
}
