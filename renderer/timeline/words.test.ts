import { describe, expect, it } from 'vitest';
import { Build } from '../../app/trace/build.testing';
import { picture } from './marks';
import { modelOf } from './shop.testing';
import { explain } from './words';

/** What the ring of a stopped call says that these probes watched. */
function ringSays(...probes: readonly string[]): string | undefined {
  const build = new Build().opened([{ name: 'deploy' }]).at(5);
  for (const probe of probes) build.effect({ effect: 'watching', probe, kind: 'process', place: '', shared: false });
  const { frames } = build.at(10).call(3, 'deploy', { probes }).at(200).stop(3);
  const model = modelOf(frames, 300);
  const call = model.calls.find(1, 'client', 'n:3');
  if (!call) throw new Error('no call 3');
  const of = picture(model, call);
  return of.notProbed ? explain({ on: 'not-probed', of })?.sentence : undefined;
}

describe('what the ring of a call that is not probed says', () => {
  it('that nobody watched, where nobody did', () => {
    expect(ringSays()).toBe('No probe watched this call, so nothing is known about what it did in the world.');
  });

  it('that what watched sees no effects, where something did', () => {
    expect(ringSays('processes')).toBe(
      'Only processes watched this call, and that shows work, not effects, so nothing is known about what it did in the world.',
    );
  });
});
