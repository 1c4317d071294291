import { describe, expect, it } from 'vitest';
import { Build } from '../../app/trace/build.testing';
import { goesOn } from './model';
import { overlay } from './overlay';
import { lookAt, texts } from './scene.testing';
import { modelOf } from './shop.testing';

const begun = () => new Build().opened([{ name: 'deploy' }]);
const ended = () => begun().at(50).life({ event: 'exited', code: 0, asked: 'disconnect' });

describe('what goes on', () => {
  it('nothing before a session has begun, and nothing once every session has ended', () => {
    expect([new Build(), begun(), ended()].map((build) => goesOn(modelOf(build.frames, 100)))).toEqual([false, true, false]);
  });

  it('nothing in a file, nor once nobody writes the recording any more', () => {
    const model = modelOf(begun().frames, 100);
    expect([goesOn({ ...model, live: false }), goesOn({ ...model, running: false })]).toEqual([false, false]);
  });

  it('has its now drawn', () => {
    const lines = [begun(), ended()].map((build) => {
      const model = modelOf(build.frames, 100);
      const shown = lookAt(model, { from: 0, to: 200 });
      return texts(
        overlay(shown, { now: model.now(), live: goesOn(model), hover: undefined, edges: [], ruler: undefined, pointer: undefined }),
      );
    });
    expect(lines).toEqual([['now, live'], []]);
  });
});
