// The steps of a scenario in words, as a list of what will be done.
import { unreachable } from '../base/unreachable';
import { ruleName } from './faults';
import { meansWord } from './means';
import { ALL, type Step } from './scenario';
import type { When } from './stops';
import { durationText } from './write';

export function stepText(step: Step): string {
  switch (step.step) {
    case 'call':
      return step.name === step.tool ? `call ${step.tool}` : `call ${step.tool} as ${step.name}`;
    case 'stop':
      return `stop ${step.call} ${whenText(step.when)}${step.how.means === 'cancel' ? '' : `, by ${meansWord(step.how)}`}`;
    case 'settle':
      return step.call === ALL ? 'wait until all has settled' : `wait until ${step.call} has settled`;
    case 'retry':
      return `call ${step.of} again, as ${step.as}`;
    case 'faults':
      return step.rules.length === 0 ? 'faults off' : `faults: ${step.rules.map(ruleName).join('; ')}`;
    case 'release':
      return 'let go of what faults hold';
    case 'wait':
      return `wait ${durationText(step.ms)}`;
    default:
      return unreachable(step);
  }
}

function whenText(when: When): string {
  switch (when.on) {
    case 'time':
      return when.afterMs === 0 ? 'at once' : `${durationText(when.afterMs)} after it was sent`;
    case 'progress':
      return when.count === 1 ? 'at its first progress' : `at progress ${when.count}`;
    case 'effect':
      return 'when an effect is seen';
    case 'reply':
      return 'when it is answered';
    default:
      return unreachable(when);
  }
}
