// Teaches the grammar with the marks themselves: every entry is painted by the painter that paints the timeline.
import './timeline.css';
import { useLayoutEffect, useRef } from 'react';
import { onThemeChange, readTheme } from '../theme/theme';
import { sheet } from './canvas';
import type { Command } from './draw';
import { LEGEND, type Lesson } from './lessons';

const SIZE = { width: 76, height: 34 };

export function Legend() {
  return (
    <div className="timeline-legend">
      {LEGEND.map(({ title, lessons }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul>
            {lessons.map((lesson) => (
              <Entry key={lesson.name} lesson={lesson} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Entry({ lesson }: { readonly lesson: Lesson }) {
  return (
    <li>
      <Sample commands={lesson.commands} />
      <span>
        <b>{lesson.name}</b>
        {lesson.says}
      </span>
    </li>
  );
}

function Sample({ commands }: { readonly commands: readonly Command[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (!canvas.current) return undefined;
    const paper = sheet(canvas.current, readTheme());
    const show = (): void => {
      paper.dress(readTheme());
      paper.resize(SIZE.width, SIZE.height, window.devicePixelRatio);
      paper.show(commands);
    };
    show();
    return onThemeChange(show);
  }, [commands]);
  return <canvas ref={canvas} style={SIZE} />;
}
