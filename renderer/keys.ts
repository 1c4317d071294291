// From the keyboard to the table of commands. Plain keys never fire while somebody types, nor where a control of the page
// has a use for them of its own; Escape belongs to the innermost open layer before it means Stop.
import { createKeybindingsHandler } from 'tinykeys';
import { type Command, can } from './commands';
import type { Stopgap } from './context';
import { keymap } from './keymap';

/** Fields in which keys are text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest('[contenteditable="true"]')) return true;
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type);
}

const PRESSABLE = 'button, a[href], summary, [role="button"], [role="checkbox"], [role="menuitem"], [role="tab"], [role="option"], input';
const ARROWED =
  '[role="tablist"], [role="menu"], [role="listbox"], [role="grid"], [role="radiogroup"], [role="separator"], [role="slider"]';

/** Whether the control in focus uses this key itself. */
function isOwned(event: KeyboardEvent): boolean {
  if (!(event.target instanceof HTMLElement)) return false;
  if (event.key === 'Enter' || event.key === ' ') return event.target.closest(PRESSABLE) !== null;
  return event.key.startsWith('Arrow') && event.target.closest(ARROWED) !== null;
}

const isChord = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey;

function fires(event: KeyboardEvent, stopgap: Stopgap): boolean {
  if (event.defaultPrevented) return false;
  if (event.key === 'Escape' || isChord(event)) return true;
  return !isTyping(event.target) && !isOwned(event) && stopgap.layers.depth() === 0;
}

function press(command: Command, event: KeyboardEvent, stopgap: Stopgap): void {
  if (!fires(event, stopgap) || !can(command, stopgap)) return;
  event.preventDefault();
  command.run(stopgap);
}

/** Listens on `target`. @returns stops */
export function listenToKeys(target: Window, stopgap: Stopgap): () => void {
  const { store } = stopgap;
  const bound = (): ((event: Event) => void) =>
    createKeybindingsHandler(
      Object.fromEntries(
        keymap(store.getState().settings.keys).flatMap((command) =>
          command.keys.map((key) => [key, (event: KeyboardEvent) => press(command, event, stopgap)] as const),
        ),
      ),
    );
  let current = bound();
  const handler = (event: KeyboardEvent): void => current(event);
  const off = store.subscribe(({ settings }, before) => {
    if (settings.keys !== before.settings.keys) current = bound();
  });
  const onEscape = (event: KeyboardEvent): void => {
    // Capture: a popup's own Escape would close it and let the same press go on to Stop.
    if (event.key !== 'Escape' || event.shiftKey || event.isComposing || !stopgap.layers.closeInnermost()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  target.addEventListener('keydown', onEscape, true);
  target.addEventListener('keydown', handler);
  return () => {
    off();
    target.removeEventListener('keydown', onEscape, true);
    target.removeEventListener('keydown', handler);
  };
}
