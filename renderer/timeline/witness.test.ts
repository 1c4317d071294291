import { describe, expect, it } from 'vitest';
import { fromMs } from '../../app/base/time';
import { hitTest } from './scene';
import { lookAt } from './scene.testing';
import { modelOf, story } from './shop.testing';
import { explain } from './words';

const FRAMES = story([
  [0, (b) => b.opened([{ name: 'deploy' }])],
  [5, (b) => b.watching('jobs')],
  [100, (b) => b.call(3, 'deploy', { probes: ['jobs'], settle: 500 })],
  [400, (b) => b.stop(3)],
  [410, (b) => b.pong(3)],
  [300, (b) => b.gap('jobs', 220, 300)],
  ...[200, 500, 700].map(
    (ms) =>
      [
        ms,
        (b: import('../../app/trace/build.testing').Build) =>
          b.effect({
            effect: 'work',
            probe: 'jobs',
            sign: 'process',
            lo: fromMs(ms - 5),
            hi: fromMs(ms),
            says: 'deploy.sh (pid 12) is alive',
            subject: '12',
          }),
      ] as const,
  ),
  [
    600,
    (b) =>
      b.effect({
        effect: 'held',
        probe: 'jobs',
        lo: fromMs(560),
        hi: fromMs(600),
        says: 'a lock on releases is held',
        subject: 'releases',
      }),
  ],
]);
const model = modelOf(FRAMES, 1500);
const shown = lookAt(model, { from: 0, to: 1500 });

const said = (kind: string): readonly (string | undefined)[] =>
  shown.hits.flatMap((hit) => {
    if (hit.target.on !== 'mark' || hit.target.mark.mark !== kind) return [];
    const found = hitTest(shown, hit.x + hit.w / 2, hit.y + hit.h / 2);
    return [found && explain(found)?.sentence];
  });

describe('what probes make of a row', () => {
  it('a gap, explained where it is drawn', () => {
    expect(said('gap')).toEqual([
      'For 80 ms the probe could not watch: the folder could not be read. What happened there in that time is not known.',
    ]);
  });

  it('signs of work as one mark for what shows them, the last of them', () => {
    expect(said('work')).toEqual([
      'jobs: deploy.sh (pid 12) is alive. Seen 3 times over 500 ms. Work went on after the stop; that is no effect by itself.',
    ]);
  });

  it('what is held open', () => {
    expect(said('held')).toEqual(['jobs: a lock on releases is held. It is still held, so this call has not really ended at its place.']);
  });

  it('for how long the probes looked', () => {
    const spans = shown.hits.flatMap((hit) =>
      hit.target.on === 'span' && hit.target.span === 'watched' ? [explain(hit.target)?.title] : [],
    );
    expect(spans).toEqual(['Watched by jobs']);
    const unwatched = lookAt(modelOf(FRAMES.slice(0, 9), 1500), { from: 0, to: 1500 });
    expect(unwatched.hits.some((hit) => hit.target.on === 'span' && hit.target.span === 'watched')).toBe(false);
  });
});
