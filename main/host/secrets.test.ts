import { expect, test } from 'vitest';
import { masked } from './secrets';

test('passwords in addresses are not shown, everything else is', () => {
  expect(masked('postgres://me:s3cr:et@db.local/orders')).toBe('postgres://me:***@db.local/orders');
  expect(masked('--url=https://u:p@host/a --to http://u:p@other')).toBe('--url=https://u:***@host/a --to http://u:***@other');
  expect(masked('https://host:8080/path@2')).toBe('https://host:8080/path@2');
  expect(masked('npx -y @scope/server')).toBe('npx -y @scope/server');
});
