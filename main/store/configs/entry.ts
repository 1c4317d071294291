// One server of a configuration, field by field. What is not what it should be is said with its place, and never with its
// value: values are secrets as often as not.
import type { ConfigInput, ConfiguredServer } from '../../../app/contract/server';
import { meant } from '../../../app/scenario/nearest';
import { filled, type Holes, type Sources } from './holes';
import { type ConfigText, type FieldPath, isTable } from './text';

/** What of a configuration is a server; or why an entry of it cannot be one. */
export type Outcome = ConfiguredServer | { readonly name: string; readonly broken: readonly string[] };

const kindOf = (value: unknown): string => {
  if (value === null) return 'nothing (null)';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number';
  if (typeof value === 'boolean') return 'true or false';
  return 'an object';
};

type Values = Readonly<Record<string, string>>;

/** Reads the fields of one entry. It collects what is wrong, so that a person is told everything at once. */
export class Entry {
  readonly name: string;
  /** Why this cannot be a server. */
  readonly faults: string[] = [];
  /** What a person should know of it all the same. */
  readonly notes: string[] = [];
  readonly inputs: ConfigInput[] = [];
  readonly #config: ConfigText;
  readonly #path: FieldPath;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #holes: Holes;
  readonly #sources: Sources;

  constructor(config: ConfigText, path: FieldPath, value: unknown, holes: Holes, sources: Sources) {
    this.#config = config;
    this.#path = path;
    this.name = String(path.at(-1));
    this.#fields = isTable(value) ? value : {};
    this.#holes = holes;
    this.#sources = sources;
    if (!isTable(value)) this.fault([], `expected a server, got ${kindOf(value)}`);
  }

  fault(field: FieldPath, says: string): void {
    this.faults.push(`${this.#config.at([...this.#path, ...field])}: ${says}`);
  }

  note(field: FieldPath, says: string): void {
    this.notes.push(`${this.#config.at([...this.#path, ...field])}: ${says}`);
  }

  has(key: string): boolean {
    return this.#fields[key] !== undefined && this.#fields[key] !== null;
  }

  /** A field as it is written. */
  raw(key: string): unknown {
    return this.#fields[key];
  }

  text(key: string): string | undefined {
    if (!this.has(key)) return undefined;
    const value = this.#fields[key];
    if (typeof value === 'string' && value !== '') return this.#fill([key], value);
    this.fault([key], `expected a text, got ${value === '' ? 'an empty one' : kindOf(value)}`);
    return undefined;
  }

  texts(key: string): string[] {
    if (!this.has(key)) return [];
    const value = this.#fields[key];
    if (!Array.isArray(value)) {
      this.fault([key], `expected a list of texts, got ${kindOf(value)}`);
      return [];
    }
    return value.flatMap((item: unknown, index) => {
      if (typeof item === 'string' || typeof item === 'number') return [this.#fill([key, index], String(item))];
      this.fault([key, index], `expected a text, got ${kindOf(item)}`);
      return [];
    });
  }

  /** Names with texts. Numbers and truth values count as texts: an environment has nothing else. `null` sets nothing. */
  values(key: string): Values {
    if (!this.has(key)) return {};
    const table = this.#fields[key];
    if (!isTable(table)) {
      this.fault([key], `expected names with values, got ${kindOf(table)}`);
      return {};
    }
    const entries = Object.entries(table).flatMap(([name, value]): [string, string][] => {
      if (value === null) return [];
      if (typeof value !== 'object') return [[name, this.#fill([key, name], String(value))]];
      this.fault([key, name], `expected a text, got ${kindOf(value)}`);
      return [];
    });
    return Object.fromEntries(entries);
  }

  flag(key: string): boolean | undefined {
    if (!this.has(key)) return undefined;
    const value = this.#fields[key];
    if (typeof value === 'boolean') return value;
    this.fault([key], `expected true or false, got ${kindOf(value)}`);
    return undefined;
  }

  /** Says of fields that this product does nothing with, where leaving them out changes what happens. */
  ignores(fields: Readonly<Record<string, string>>): void {
    for (const [key, says] of Object.entries(fields)) if (this.has(key) && this.#fields[key] !== false) this.note([key], says);
  }

  /** Says that there is nothing here to start or to reach, and which field may have been meant. */
  nothingToReach(expected: readonly string[]): void {
    const near = Object.keys(this.#fields).find((key) => !expected.includes(key) && meant(key, expected) !== '');
    const hint = near === undefined ? '' : `, but “${near}”${meant(near, expected)}`;
    this.fault([], `expected the key ${expected.join(' or ')}, got neither${hint}`);
  }

  /** What has become of this entry, with what it is to be started or reached by. */
  outcome(spec: ConfiguredServer['spec'] | undefined, disabled: boolean): Outcome {
    if (!spec || this.faults.length > 0) return { name: this.name, broken: [...this.faults, ...this.notes] };
    const inputs = [...new Map(this.inputs.map((input) => [input.id, input])).values()];
    return { name: this.name, spec, inputs, disabled, problems: this.notes };
  }

  #fill(field: FieldPath, text: string): string {
    const { text: done, inputs, says, secrets } = filled(text, this.#holes, this.#sources);
    for (const said of says) this.note(field, said);
    this.inputs.push(...inputs);
    const [of] = field;
    const into =
      of === 'args' || of === 'command' ? 'a word of the command line' : of === 'url' || of === 'serverUrl' ? 'a part of the address' : '';
    if (into !== '')
      for (const name of secrets) this.note(field, `the value of ${name} becomes ${into}, which is shown and kept in traces`);
    if ((of === 'env' || of === 'headers') && /^<[^<>]+>$/.test(text))
      this.note(field, 'looks like a placeholder that nobody has filled in');
    return done;
  }
}
