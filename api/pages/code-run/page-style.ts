import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STYLE } from '../approval/page-style.ts';

/** The style of a code run's page: the sheets of approval pages and the sheet of code runs. */
export const RUN_STYLE = STYLE + readFileSync(join(import.meta.dirname, 'code-run.css'), 'utf8');
