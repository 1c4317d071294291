import { describe, expect, it } from 'vitest';
import { maskedDsn, withoutSecretsOf } from './dsn';

describe('the address of a database', () => {
  it.each([
    ['postgres://ada:s3cret@db.example:5432/shop', 'postgres://ada:***@db.example:5432/shop'],
    ['postgres://ada:p@ss/w:rd@db/shop', 'postgres://ada:***@db/shop'],
    ['postgres://ada@db/shop', 'postgres://ada@db/shop'],
    ['mysql://db/shop', 'mysql://db/shop'],
    ['postgres://db/shop?user=ada&password=s3cret&sslmode=require', 'postgres://db/shop?user=ada&password=***&sslmode=require'],
    ['mysql://ada:s3cret@db/shop?auth_token=a=b', 'mysql://ada:***@db/shop?auth_token=***'],
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
