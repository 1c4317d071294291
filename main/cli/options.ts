// The values of options, read and refused in words.
import { InvalidArgumentError } from 'commander';
import { FAIL_ON, type FailOn } from '../../app/report/expectations';
import { CHECK_IDS } from '../../app/scenario/check/card';
import { DURATION, durationMs } from '../../app/scenario/duration';
import { FAULT_WORDS, type FaultRule, faultsOf, PRESET_NAMES } from '../../app/scenario/faults';
import { MEANS_WORDS, meansOf } from '../../app/scenario/means';
import { meant } from '../../app/scenario/nearest';
import type { Axis } from '../../app/scenario/sweep';
import { PROTOCOLS } from '../../app/wire/era';
import type { Means } from '../../app/wire/frame';
import { CHECK_FORMS } from './check-form';
import { EXPORTS } from './export';
import type { ServerWordOptions } from './server-options';
import { COLOR_CHOICES, type ColorChoice, said } from './terminal';

/** What every command has. */
export interface CommonOptions {
  readonly json?: true;
  readonly quiet?: true;
  readonly color: ColorChoice;
}

/** What every command that runs a server has. */
export interface RunningOptions extends CommonOptions {
  readonly fence: boolean;
  readonly failOn: FailOn;
  readonly trace?: string;
  readonly protocol?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly header?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** What every command has that is given a server on the command line. */
export interface ServerOptions extends RunningOptions {
  readonly input?: Readonly<Record<string, string>>;
}

export const serverWordOptions = ({ env = {}, cwd, header = {}, input = {}, quiet }: ServerOptions): ServerWordOptions => ({
  env,
  cwd,
  headers: header,
  inputs: input,
  said: said(quiet),
});

const refuse = (expected: string, got: string): never => {
  throw new InvalidArgumentError(`Expected ${expected}, got “${got}”.`);
};

export const duration = (text: string): number => durationMs(text) ?? refuse(DURATION, text);

export const means = (text: string): Means => meansOf(text) ?? refuse(`one of ${MEANS_WORDS.join(', ')}${meant(text, MEANS_WORDS)}`, text);

export function argumentsOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(`a JSON object such as '{"amount": 4200}'`, text);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(`a JSON object such as '{"amount": 4200}'`, text);
  return value as Record<string, unknown>;
}

/** Faults, in the order in which they are given: the first that names a message decides. */
export const faultWord = (text: string, before: readonly FaultRule[] = []): readonly FaultRule[] => [
  ...before,
  ...(faultsOf(text) ?? refuse(`a fault, one of ${FAULT_WORDS.join(', ')} or its like (docs/faults.md)${meant(text, PRESET_NAMES)}`, text)),
];

/** Arguments of a tool by its name: `TOOL={…}`. */
export function toolArguments(
  text: string,
  before: Readonly<Record<string, Record<string, unknown>>> = {},
): Readonly<Record<string, Record<string, unknown>>> {
  const at = text.indexOf('=');
  if (at <= 0) return refuse(`TOOL=JSON, such as 'charge={"amount": 4200}'`, text);
  return { ...before, [text.slice(0, at)]: argumentsOf(text.slice(at + 1)) };
}

export const listed = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export function variable(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  return at > 0 ? { ...before, [text.slice(0, at)]: text.slice(at + 1) } : refuse('NAME=VALUE', text);
}

const oneOf =
  <T extends string>(known: readonly T[]) =>
  (text: string): T =>
    known.find((one) => one === text) ?? refuse(`one of ${known.join(', ')}${meant(text, known)}`, text);

export const color = oneOf(COLOR_CHOICES);
export const exportForm = oneOf(EXPORTS);
export const checkForm = oneOf(CHECK_FORMS);
const checkId = oneOf(CHECK_IDS);
export const checkIds = (text: string, before: readonly string[] = []): readonly string[] => [...before, checkId(text)];
export const axis = oneOf<Axis>(['time', 'progress']);
export const natural = (text: string): number => (/^[1-9]\d*$/.test(text) ? Number(text) : refuse('a whole number from 1', text));
export const failOn = oneOf<FailOn>(FAIL_ON as readonly FailOn[]);
export const protocol = oneOf(PROTOCOLS);

/** A header as HTTP has it (RFC 9110, 5.1 and 5.5): `Name: value`. Its value is not repeated in an error, because it may be a secret. */
export function header(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) return refuse('NAME:VALUE, as HTTP has it', `${text.split(':', 1)[0] ?? ''}:…`);
  return { ...before, [name]: value.trim() };
}

export function callNumber(text: string): string {
  return /^#?(\d+|".*")$/.test(text) ? text.replace(/^#?/, '#') : refuse('the id of a call as it is shown (12, #12, or \'"a"\')', text);
}
