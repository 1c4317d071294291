// What is wrong with the text that is open, and where.
import { checkScenarioText, type ScenarioText } from '../../../app/scenario/file';

/** Probes that come with the demo; a scenario on it may name them. Their names are part of the grammar (docs/scenario.md). */
export const DEMO_PROBES = ['ledger', 'outbox', 'tickets', 'seats', 'releases', 'reports'] as const;

/** Where relative paths count from is the host's business: here only what is written is looked at. */
export const checkOpen = (text: string): ScenarioText => checkScenarioText(text, (path) => path, DEMO_PROBES);
