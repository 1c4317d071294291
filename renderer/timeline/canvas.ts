// One canvas with what is needed to paint on it: its size in device pixels, the hatch, a measure. Timeline and overview
// each own two.
import type { Theme } from '../theme/theme';
import type { Command, Measure } from './draw';
import { hatcher, measurer, paint, type Surface } from './painter';

export interface Sheet {
  readonly measure: Measure;
  /** Size in CSS pixels. @returns whether anything changed; then the canvas is empty */
  resize(width: number, height: number, ratio: number): boolean;
  /** Fonts or colours are others from now on. */
  dress(theme: Theme): void;
  /** Replaces what is on the canvas. */
  show(commands: readonly Command[]): void;
}

/** @throws Error when the canvas gives no 2D context */
export function sheet(canvas: HTMLCanvasElement, first: Theme): Sheet {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('expected a 2D context of the canvas, got none; reload the window');
  let theme = first;
  let surface: Surface = { context, ratio: 1, hatch: hatcher(context, 1) };
  let measure = measurer(context, theme);
  let size = { width: 0, height: 0 };
  return {
    measure: (text, face) => measure(text, face),
    resize(width, height, ratio) {
      if (size.width === width && size.height === height && surface.ratio === ratio) return false;
      size = { width, height };
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      surface = { context, ratio, hatch: hatcher(context, ratio) };
      return true;
    },
    dress(next) {
      theme = next;
      measure = measurer(context, theme);
      surface = { ...surface, hatch: hatcher(context, surface.ratio) };
    },
    show(commands) {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      paint(commands, theme, surface);
    },
  };
}
