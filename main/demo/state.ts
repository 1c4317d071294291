// The demo server's world: a folder of plain files that anybody can look into. Everything is written synchronously, so
// that within the process no two calls can get between each other's reading and writing, and a file appears whole or
// not at all, so that a probe never sees half of one.
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const Charge = z.object({
  id: z.string(),
  at: z.string(),
  amount: z.number(),
  currency: z.string(),
  idempotency_key: z.string().optional(),
});

/** One line of `ledger.jsonl`; `amount` in cents, `at` an ISO time. */
export type Charge = z.infer<typeof Charge>;

const LEDGER = 'ledger.jsonl';

/** Creates the folder and its rooms where they are missing; what is already there stays. */
export function openState(folder: string): void {
  for (const room of ['outbox', 'tickets', 'seats', 'releases', 'reports']) mkdirSync(path.join(folder, room), { recursive: true });
  appendFileSync(path.join(folder, LEDGER), '');
}

/** A short random name such as `ch_1f0c9a2e`: the folder may outlive the process, so counting would repeat names. */
export const freshId = (prefix: string): string => `${prefix}${randomBytes(4).toString('hex')}`;

/** Puts a file in its place by renaming a finished one. `name` is relative to the state folder. */
export function writeWhole(folder: string, name: string, text: string): void {
  const partial = path.join(folder, freshId('.partial-'));
  writeFileSync(partial, text);
  renameSync(partial, path.join(folder, name));
}

/**
 * The charges on the ledger, oldest first.
 * @throws SyntaxError or ZodError when somebody else has written something into the ledger that is not a charge.
 */
export function readLedger(folder: string): readonly Charge[] {
  const lines = readFileSync(path.join(folder, LEDGER), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => Charge.parse(JSON.parse(line)));
}

export function appendToLedger(folder: string, charge: Charge): void {
  appendFileSync(path.join(folder, LEDGER), `${JSON.stringify(charge)}\n`);
}

/** Rewrites the ledger without the charge of this id. */
export function removeFromLedger(folder: string, id: string): void {
  const kept = readLedger(folder).filter((charge) => charge.id !== id);
  writeWhole(folder, LEDGER, kept.map((charge) => `${JSON.stringify(charge)}\n`).join(''));
}

const seatFile = (folder: string, seat: string, standing: 'held' | 'booked') => path.join(folder, 'seats', `${seat}.${standing}`);

export const seatIsFree = (folder: string, seat: string): boolean =>
  !existsSync(seatFile(folder, seat, 'held')) && !existsSync(seatFile(folder, seat, 'booked'));

export function holdSeat(folder: string, seat: string, passenger: string): void {
  writeWhole(folder, path.join('seats', `${seat}.held`), `${JSON.stringify({ seat, passenger, at: new Date().toISOString() })}\n`);
}

export function giveSeatBack(folder: string, seat: string): void {
  rmSync(seatFile(folder, seat, 'held'));
}

export function bookHeldSeat(folder: string, seat: string): void {
  renameSync(seatFile(folder, seat, 'held'), seatFile(folder, seat, 'booked'));
}
