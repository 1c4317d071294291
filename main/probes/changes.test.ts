import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Seq } from '../../app/wire/frame';
import { changes, type Item, type Teller } from './changes';

const row = (...cells: readonly string[]): Item => ({ id: cells.join('|'), text: cells.join(' | '), noun: 'row', key: cells[0] ?? '' });
const line = (text: string): Item => ({ id: text, text, noun: 'line' });
const value = (text: string): Item => ({ id: text, text, noun: 'row', key: '', name: 'count' });

interface Told {
  readonly said: string[];
  readonly samples: string[];
  /** Frames that are not taken back. */
  readonly standing: Set<Seq>;
  take(...items: readonly Item[]): boolean;
}

function told(...baseline: readonly Item[]): Told {
  const compared = changes(baseline);
  const said: string[] = [];
  const samples: string[] = [];
  const standing = new Set<Seq>();
  const teller: Teller = {
    seen: ({ says, sample }) => {
      samples.push(sample);
      const seq = said.push(says) - 1;
      standing.add(seq);
      return seq;
    },
    reverted: (says, of) => {
      said.push(`${says} (${of.join(', ')})`);
      for (const seq of of) if (!standing.delete(seq)) throw new Error(`${seq} was taken back twice, or never seen`);
    },
  };
  return { said, samples, standing, take: (...items) => compared.take(items, teller) };
}

describe('what is different between readings', () => {
  it('is nothing when only the order is another', () => {
    const { said, take } = told(line('a'), line('b'), line('a'));
    expect(take(line('b'), line('a'), line('a'))).toBe(false);
    expect(said).toEqual([]);
  });

  it('is every row that came, each by itself, and then every row that went', () => {
    const { said, take } = told(row('1', 'ada'), row('2', 'bob'));
    expect(take(row('1', 'ada'), row('7', 'eve', '42'), row('8', 'joe'))).toBe(true);
    expect(said).toEqual(['1 row more: 7 | eve | 42', '1 row more: 8 | joe', '1 row fewer: 2 | bob']);
  });

  it('is a row that changed, known by its key', () => {
    const { said, take } = told(row('1', 'ada'), row('2', 'bob'));
    take(row('1', 'ada'), row('2', 'eve'));
    expect(said).toEqual(['1 row changed: 2 | bob → 2 | eve']);
  });

  it('is a row that went and one that came where a key names several', () => {
    const { said, take } = told(row('open', '7'), row('open', '8'));
    take(row('open', '8'), row('open', '9'));
    expect(said).toEqual(['1 row more: open | 9', '1 row fewer: open | 7']);
  });

  it('is a value that changed', () => {
    const { said, take } = told(value('3'));
    take(value('4'));
    expect(said).toEqual(['count changed from 3 to 4']);
  });

  it('is said of one frame where there are very many', () => {
    const { said, samples, take } = told();
    take(...Array.from({ length: 1000 }, (_, n) => row(String(n))));
    expect(said).toHaveLength(20);
    expect([said[18], said[19]]).toEqual(['1 row more: 18', '981 rows more: 19; …']);
    expect(samples[19]?.length).toBe(300);
    take();
    expect(said).toHaveLength(40);
    expect(said.at(-1)).toBe('981 rows gone again: 19; … (19)');
  });

  it('is shown where a long text differs', () => {
    const { said, samples, take } = told(value(`${'x'.repeat(5000)}one`));
    take(value(`${'x'.repeat(5000)}two`));
    expect(said).toEqual([`count changed from …${'x'.repeat(20)}one to …${'x'.repeat(20)}two`]);
    expect(samples).toEqual([`…${'x'.repeat(20)}two`]);
  });

  it('leaves a quiet one unsaid beside another, and takes both back together', () => {
    const total = (text: string): Item => ({ id: `total ${text}`, text, noun: 'field', key: 'total', name: 'total', quiet: true });
    const { said, take } = told(total('0'));
    take(line('a'), total('1'));
    take(total('0'));
    take(total('5'));
    expect(said).toEqual(['1 line more: a', '1 line gone again: a (0)', 'total changed from 0 to 5']);
  });
});

describe('what is taken back', () => {
  it('is a row that goes again, whatever else comes', () => {
    const { said, take } = told();
    take(row('7', 'ada'));
    take(row('8', 'bob'));
    expect(said).toEqual(['1 row more: 7 | ada', '1 row gone again: 7 | ada (0)', '1 row more: 8 | bob']);
  });

  it('is not a row that only changes', () => {
    const { said, take } = told();
    take(row('7', 'held'));
    take(row('7', 'booked'));
    take();
    expect(said).toEqual(['1 row more: 7 | held', '1 row changed: 7 | held → 7 | booked', '1 row gone again: 7 | held (0, 1)']);
  });

  it('is a row that comes back', () => {
    const { said, take } = told(row('7', 'ada'));
    take();
    take(row('7', 'ada'));
    expect(said).toEqual(['1 row fewer: 7 | ada', '1 row back again: 7 | ada (0)']);
  });

  it('is every step of a value that is as it was, and only the last where it is as it was before that', () => {
    const { said, take } = told(value('1'));
    take(value('2'));
    take(value('3'));
    take(value('2'));
    take(value('5'));
    take(value('1'));
    expect(said).toEqual([
      'count changed from 1 to 2',
      'count changed from 2 to 3',
      'count is 2 again (1)',
      'count changed from 2 to 5',
      'count is 1 again (0, 3)',
    ]);
  });

  it('is the latest of several rows that are the same', () => {
    const { said, take } = told();
    take(line('a'));
    take(line('a'), line('a'));
    take(line('a'));
    expect(said).toEqual(['1 line more: a', '1 line more: a', '1 line gone again: a (1)']);
  });

  it('is so much of it as lies on the way to something new', () => {
    const { said, take } = told(line('a'));
    take();
    take(line('a'), line('a'));
    take(line('a'));
    expect(said).toEqual(['1 line fewer: a', '1 line back again: a (0)', '1 line more: a', '1 line gone again: a (2)']);
  });

  it('is everything, always, once the place is as at the baseline, and nothing stands that is not there', () => {
    const items = fc.array(
      fc.oneof(
        fc.constantFrom('a', 'b', 'c').map(line),
        fc.tuple(fc.constantFrom('1', '2'), fc.constantFrom('x', 'y')).map((cells) => row(...cells)),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(items, fc.array(items, { maxLength: 6 }), (baseline, readings) => {
        const { standing, take } = told(...baseline);
        for (const reading of readings) take(...reading);
        take(...baseline);
        expect([...standing]).toEqual([]);
      }),
    );
  });
});
