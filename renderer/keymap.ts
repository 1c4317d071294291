// Keys as the person wants them: the table's own, with what the settings say instead. A key runs one command; where two
// ask for it, the one that it was given to by hand has it.
import { COMMANDS, type Command } from './commands';

/** By id of a command, as the settings keep it. */
export type Remapped = Readonly<Record<string, readonly string[]>>;

/** The table with the keys that are in force. What the settings name and no command is called is left alone. */
export function keymap(remapped: Remapped): readonly Command[] {
  const taken = new Set(COMMANDS.flatMap(({ id }) => remapped[id] ?? []).map(normal));
  return COMMANDS.map((command) => {
    const own = remapped[command.id];
    const { shown: _, ...rest } = command;
    if (own) return { ...rest, keys: own };
    const keys = command.keys.filter((key) => !taken.has(normal(key)));
    return keys.length === command.keys.length ? command : { ...rest, keys };
  });
}

const normal = (key: string): string => key.toLowerCase();

/** The command that has a key at present. */
export const ownerOf = (key: string, remapped: Remapped): Command | undefined =>
  keymap(remapped).find(({ keys }) => keys.some((each) => normal(each) === normal(key)));

/** Gives a command a key, alone; whoever was given it by hand before loses it. */
export function remap(remapped: Remapped, id: string, keys: readonly string[]): Remapped {
  const gone = new Set(keys.map(normal));
  const others = Object.entries(remapped)
    .filter(([other]) => other !== id)
    .map(([other, own]) => [other, own.filter((key) => !gone.has(normal(key)))] as const);
  return { ...Object.fromEntries(others), [id]: keys };
}

/** As the command came. */
export function unmap(remapped: Remapped, id: string): Remapped {
  const { [id]: _, ...rest } = remapped;
  return rest;
}

const MODIFIERS = new Set(['Control', 'Meta', 'Shift', 'Alt', 'AltGraph', 'CapsLock', 'Dead']);

/** What a press needs of a key event. */
export type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/**
 * A press in tinykeys' notation; `$mod` is Ctrl, and Cmd on a Mac.
 * @returns undefined while only modifiers are held. Two keys where a character needs Shift on some keyboards and on others not.
 */
export function keysOf(event: Pressed, mac: boolean): readonly string[] | undefined {
  if (MODIFIERS.has(event.key)) return undefined;
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const mod = mac ? event.metaKey : event.ctrlKey;
  const other = mac ? event.ctrlKey : event.metaKey;
  const held = [mod ? '$mod' : '', other ? (mac ? 'Control' : 'Meta') : '', event.altKey ? 'Alt' : ''].filter(Boolean);
  const text = (shift: boolean): string => [...held, ...(shift ? ['Shift'] : []), key].join('+');
  if (!event.shiftKey) return [text(false)];
  const character = key.length === 1 && !/[a-z0-9]/.test(key);
  return character ? [text(false), text(true)] : [text(true)];
}
