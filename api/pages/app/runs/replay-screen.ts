import { replayCodeRun, whyNotReplayed } from '../../../../commands/code-runs/replay/replay-code-run.ts';
import { readCodeRunHistory } from '../../../../commands/reviews/read-code-run-history.ts';
import type { CodeRun } from '../../../../domain/code-run.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { CODE_RUN } from '../../../../domain/limits.ts';
import { goneSignal } from '../../../gone-signal.ts';
import { linesOf } from '../../approval/present-code.ts';
import { assets } from '../assets.ts';
import { WORDS } from '../playground/program-screen.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { presentReplay } from './present-replay.ts';
import { getRun } from './run-screens.ts';

/** `/app/runs/<id>/replay`: runs a program again with recorded answers. Makes no calls. */
export const replayScreen: Screen = {
  ...{ path: '/runs/{id}/replay', role: 'admin', navigation: 'Code runs' },
  // Forms encode many characters of a program as three characters.
  formMaxBytes: 4 * CODE_RUN.codeMaxBytes,
  get: async (visit) => {
    const run = await getRun(visit);
    return replayPage(visit, run, await offeredProgram(run));
  },
  post: async (visit) => {
    const { gateway, principal, form, ctx } = visit;
    const run = await getRun(visit);
    const offered = await offeredProgram(run);
    const typed = (form.get('program') ?? '').replaceAll('\r\n', '\n');
    // An unedited program runs as it is stored, with no value hidden.
    const code = typed === offered.text && offered.isWhole ? run.code : typed;
    try {
      const replay = await replayCodeRun(gateway, principal, { run, code, signal: goneSignal(ctx) });
      const history = await readCodeRunHistory(gateway, run, { maySee: () => true });
      return replayPage(visit, run, { ...offered, text: typed }, { result: presentReplay(history, replay) });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status !== 400) throw error;
      return replayPage(visit, run, { ...offered, text: typed }, { problem: error.message });
    }
  },
};

interface OfferedProgram {
  text: string;
  /** False if the program is too long to be shown. */
  isWhole: boolean;
  /** Whether values in the text are hidden. */
  isHidden: boolean;
}

async function offeredProgram(run: CodeRun): Promise<OfferedProgram> {
  const { lines, isWhole } = await linesOf(run);
  const text = lines.join('\n');
  return { text: isWhole ? text : '', isWhole, isHidden: text !== run.code };
}

interface Outcome {
  result?: ReturnType<typeof presentReplay>;
  problem?: string;
}

async function replayPage(visit: Visit, run: CodeRun, program: OfferedProgram, { result, problem }: Outcome = {}): Promise<AppPage> {
  const { pathOf } = await assets();
  const editor = { editor: visit.root + pathOf('editor.js'), words: visit.root + WORDS, serverId: run.mcpServerId };
  return {
    ...{ title: 'Replay a run', template: 'runs/replay', status: problem === undefined ? 200 : 400 },
    data: { id: run.id, refusal: whyNotReplayed(visit.gateway, run), program, result, problem, ...editor },
  };
}
