// What is wrong with a scenario file, below the editor that marks it: a press goes to the place.
import type { Placed } from '../../../app/scenario/file';

interface Props {
  readonly problems: readonly Placed[];
  readonly onGo: (offset: number) => void;
}

export function Problems({ problems, onGo }: Props) {
  if (problems.length === 0) return <p className="hint lab-well">Nothing is wrong with it.</p>;
  return (
    <ul className="lab-problems" aria-label="What is wrong">
      {problems.map(({ line, field, says, from }) => (
        <li key={`${from} ${says}`}>
          <button type="button" onClick={() => onGo(from)}>
            <span className="mono">line {line}</span>
            <span>
              {field !== undefined && <code className="mono">{field}</code>} {says}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
