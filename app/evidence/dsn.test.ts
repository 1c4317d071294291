import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasSecrets, masked, maskedDsn, unmaskedDsn, withoutSecretsOf } from './dsn';

describe('the address of a database', () => {
  it.each([
    ['postgres://ada:s3cret@db.example:5432/shop', 'postgres://ada:***@db.example:5432/shop'],
    ['postgres://ada:p@ss/w:rd@db/shop', 'postgres://ada:***@db/shop'],
    ['postgres://ada@db/shop', 'postgres://ada@db/shop'],
    ['mysql://db/shop', 'mysql://db/shop'],
    ['postgres://db/shop?user=ada&password=s3cret&sslmode=require', 'postgres://db/shop?user=ada&password=***&sslmode=require'],
    ['mysql://ada:s3cret@db/shop?auth_token=a=b', 'mysql://ada:***@db/shop?auth_token=***'],
    ['postgres://db:5432/shop?options=a:b@c', 'postgres://db:5432/shop?options=a:b@c'],
    ['sqlite:/data/app.db', 'sqlite:/data/app.db'],
    ['', ''],
  ])('shows %j as %j', (dsn, masked) => {
    expect(maskedDsn(dsn)).toBe(masked);
  });

  it('is masked in what a driver says, encoded or not', () => {
    const dsn = 'postgres://ada:s3%40cret@db/shop?sslpassword=other';
    expect(withoutSecretsOf(dsn, `cannot use ${dsn}: s3@cret, s3%40cret and other are wrong for ada`)).toBe(
      'cannot use postgres://ada:***@db/shop?sslpassword=***: ***, *** and *** are wrong for ada',
    );
    expect(withoutSecretsOf('sqlite:app.db', 'no such table: t')).toBe('no such table: t');
  });
});

describe('a masked address', () => {
  const word = fc.stringMatching(/^[\w%!*]{1,8}$/);
  const address = fc
    .record({ user: word, password: fc.stringMatching(/^[\w%!*@:/]{0,8}$/), host: fc.stringMatching(/^[a-z]{1,8}$/), token: word })
    .map(({ user, password, host, token }) => `postgres://${user}:${password}@${host}/shop?sslmode=require&token=${token}`);

  it('gets back what was masked in it', () => {
    fc.assert(fc.property(address, (dsn) => unmaskedDsn(maskedDsn(dsn), dsn) === dsn && hasSecrets(maskedDsn(dsn))));
  });

  it.each([
    ['postgres://ada:***@other:1/shop', 'postgres://ada:s3cret@other:1/shop'],
    ['postgres://bob:***@db/shop?token=***&x=1', 'postgres://bob:s3cret@db/shop?token=t&x=1'],
    ['postgres://ada:new@db/shop?token=***', 'postgres://ada:new@db/shop?token=t'],
    ['postgres://ada@db/shop', 'postgres://ada@db/shop'],
    ['sqlite:x.db', 'sqlite:x.db'],
  ])('%s changed by somebody', (dsn, whole) => {
    expect(unmaskedDsn(dsn, 'postgres://ada:s3cret@db/shop?token=t')).toBe(whole);
  });
});

describe('a command line', () => {
  it.each([
    ['node server.mjs postgres://me:s3cr:et@db.local/orders', 'node server.mjs postgres://me:***@db.local/orders'],
    ['--db=postgres://me:p@ss/word@db/x?sslpassword=a --verbose', '--db=postgres://me:***@db/x?sslpassword=*** --verbose'],
    ['--url=https://u:p@host/a --to "http://u:p@other"', '--url=https://u:***@host/a --to "http://u:***@other"'],
    ['https://host/mcp?api_key=abc&page=2', 'https://host/mcp?api_key=***&page=2'],
    ['https://host:8080/path@2', 'https://host:8080/path@2'],
    ['npx -y @scope/server https://host/@scope/a:b@2', 'npx -y @scope/server https://host/@scope/a:b@2'],
  ])('%s', (text, shown) => {
    expect(masked(text)).toBe(shown);
  });
});
