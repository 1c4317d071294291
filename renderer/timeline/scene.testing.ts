// A scene without a window: text is six pixels a letter, the view is given in milliseconds.
import { fromMs } from '../../app/base/time';
import { lanes } from '../../app/layout/lanes';
import type { Command } from './draw';
import { GEOMETRY } from './geometry';
import type { Density, Selection, TimelineModel } from './model';
import { type Alarm, type Scene, scene } from './scene';

export interface Look {
  readonly from: number;
  readonly to: number;
  readonly top?: number;
  readonly width?: number;
  readonly height?: number;
  readonly density?: Density;
  readonly selection?: Selection;
  readonly alarms?: readonly Alarm[];
}

export function lookAt(model: TimelineModel, look: Look): Scene {
  const layout = lanes();
  layout.take(model.calls);
  return scene({
    facts: model,
    lanes: layout,
    geometry: GEOMETRY[look.density ?? 'comfortable'],
    range: { from: fromMs(look.from), to: fromMs(look.to) },
    top: look.top ?? 0,
    width: look.width ?? 1164,
    height: look.height ?? 1000,
    now: model.now(),
    selection: look.selection,
    alarms: look.alarms ?? [],
    dimmed: undefined,
    measure: (text) => text.length * 6,
  });
}

/** Every text that is drawn. */
export const texts = (commands: readonly Command[]): readonly string[] =>
  commands.flatMap((command) => (command.draw === 'text' ? [command.text] : []));
