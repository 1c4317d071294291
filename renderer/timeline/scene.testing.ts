// A scene without a window: text is six pixels a letter, the view is given in milliseconds.
import { fromMs } from '../../app/base/time';
import { type Grouping, lanes } from '../../app/layout/lanes';
import { CLOCK, moments } from '../../app/layout/order';
import type { Command } from './draw';
import { GEOMETRY } from './geometry';
import type { Density, Selection, TimelineModel } from './model';
import { BEGINNING, scaleOf } from './scale';
import { type Scene, scene } from './scene';

export interface Look {
  readonly from: number;
  readonly to: number;
  readonly top?: number;
  readonly width?: number;
  readonly height?: number;
  readonly density?: Density;
  readonly selection?: Selection;
  readonly grouping?: Grouping;
  readonly order?: boolean;
  readonly dimmed?: (call: number) => boolean;
  readonly found?: readonly number[];
}

export function lookAt(model: TimelineModel, look: Look): Scene {
  const layout = lanes(model, look.grouping);
  layout.take();
  layout.light(look.dimmed && ((call) => !look.dimmed?.(call)));
  const ordered = look.order ? moments(model.trace) : undefined;
  ordered?.take();
  const range = { from: fromMs(look.from), to: fromMs(look.to) };
  return scene({
    facts: model,
    lanes: layout,
    geometry: GEOMETRY[look.density ?? 'comfortable'],
    scale: (left, width) => scaleOf(range, ordered ?? CLOCK, left, width),
    moments: ordered,
    origin: BEGINNING,
    top: look.top ?? 0,
    width: look.width ?? 1164,
    height: look.height ?? 1000,
    now: model.now(),
    selection: look.selection,
    dimmed: look.dimmed,
    found: look.found,
    measure: (text) => text.length * 6,
  });
}

/** Every text that is drawn. */
export const texts = (commands: readonly Command[]): readonly string[] =>
  commands.flatMap((command) => (command.draw === 'text' ? [command.text] : []));
