// The application's menu: what every application has, by role, and a few commands of the page by their ids. The page owns
// the table of commands and all keys but the roles'; a test holds that each id here is in that table.
import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { MENU_COMMANDS } from './menu-commands';

/** @param run hands the id of a command to the page */
export function installMenu(run: (command: string) => void): void {
  const commands = (menu: keyof typeof MENU_COMMANDS): MenuItemConstructorOptions[] =>
    MENU_COMMANDS[menu].map(({ id, label }) => ({ id, label, click: () => run(id) }));
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const file: MenuItemConstructorOptions[] = [...commands('File'), separator, { role: process.platform === 'darwin' ? 'close' : 'quit' }];
  const view: MenuItemConstructorOptions[] = [
    ...commands('View'),
    separator,
    { role: 'reload' },
    { role: 'toggleDevTools' },
    separator,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
  ];
  const template: MenuItemConstructorOptions[] = [
    { label: 'File', submenu: file },
    { role: 'editMenu' },
    { label: 'Call', submenu: commands('Call') },
    { label: 'View', submenu: view },
    { role: 'windowMenu' },
    { role: 'help', submenu: commands('Help') },
  ];
  if (process.platform === 'darwin') template.unshift({ role: 'appMenu', label: app.name });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
