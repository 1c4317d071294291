// The menu is the shell's, the commands are the page's, and neither may import the other: only a test sees both.
import { expect, test } from 'vitest';
import { MENU_COMMANDS } from '../../main/shell/menu-commands';
import { COMMANDS } from '../../renderer/commands';

test('every command in the application menu is one of the page', () => {
  const known = COMMANDS.map(({ id }) => id);
  const named = Object.values(MENU_COMMANDS).flatMap((commands) => commands.map(({ id }) => id));
  expect(named.filter((id) => !known.includes(id))).toEqual([]);
});
