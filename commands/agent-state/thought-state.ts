import type { Knex } from 'knex';
import type { Db } from '../../infra/database.ts';
import type { Place, Thought, ThoughtState } from '../../integrations/agent-state.ts';
import { ActionError } from '../../integrations/definition.ts';
import type { StateOwner } from '../../store/kv-entries.ts';
import { findLineEnds, findThought, insertThought, listThoughts, measureChain, type ThoughtRow } from '../../store/thoughts.ts';
import { changeState } from './change-state.ts';

const CHAIN_MAX_THOUGHTS = 1000;
/** Maximum size of a chain: a whole chain stays below the size limit of a code run's result. */
const CHAIN_MAX_BYTES = 512 * 1024;

/** The thought chains of one owner. Thought numbers have no gaps and no duplicates. */
export function openThoughtState(db: Db, owner: StateOwner): ThoughtState {
  const change = <Result>(work: (tx: Knex.Transaction) => Promise<Result>) => changeState(db, 'thoughts', owner, work);

  return {
    add: (chainId, content) =>
      change(async (tx) => {
        const line = await findLineEnds(tx, owner, chainId, null);
        return append(tx, owner, chainId, { branch: null, follows: line?.last ?? null, content });
      }),

    branch: (chainId, { name, thoughtId }, content) =>
      change(async (tx) => {
        const from = await getThought(tx, owner, chainId, thoughtId);
        const line = await findLineEnds(tx, owner, chainId, name);
        if (line && from.branch !== name && line.startsFrom !== thoughtId)
          throw new ActionError(
            `The branch ${JSON.stringify(name)} starts from thought ${line.startsFrom}, not ${thoughtId}. Continue it with one of its thoughts, or choose another name.`,
          );
        return append(tx, owner, chainId, { branch: name, follows: line?.last ?? thoughtId, content });
      }),

    revise: (chainId, thoughtId, content) =>
      change(async (tx) => {
        const { number, revision, branch, follows } = await getThought(tx, owner, chainId, thoughtId);
        await insertThought(tx, owner, chainId, { number, revision: revision + 1, branch, follows, content });
        await assertRoom(tx, owner, chainId);
        return { revision: revision + 1 };
      }),

    read: async (chainId) => toThoughts(await listThoughts(db, owner, chainId)),
  };
}

async function append(
  tx: Db,
  owner: StateOwner,
  chainId: string,
  thought: Pick<ThoughtRow, 'branch' | 'follows' | 'content'>,
): Promise<Place> {
  const number = (await measureChain(tx, owner, chainId)).count + 1;
  await insertThought(tx, owner, chainId, { ...thought, number, revision: 0 });
  await assertRoom(tx, owner, chainId);
  return { thoughtId: number, follows: thought.follows, thoughtCount: number };
}

async function assertRoom(tx: Db, owner: StateOwner, chainId: string): Promise<void> {
  const { count, sizeBytes } = await measureChain(tx, owner, chainId);
  if (count > CHAIN_MAX_THOUGHTS)
    throw new ActionError(`The chain is full: it holds at most ${CHAIN_MAX_THOUGHTS} thoughts. Start another chain.`);
  if (sizeBytes > CHAIN_MAX_BYTES)
    throw new ActionError(
      `The chain is full: its thoughts and their earlier texts hold at most ${CHAIN_MAX_BYTES} bytes. Start another chain.`,
    );
}

async function getThought(tx: Db, owner: StateOwner, chainId: string, thoughtId: number): Promise<ThoughtRow> {
  const thought = await findThought(tx, owner, chainId, thoughtId);
  if (thought) return thought;
  const { count } = await measureChain(tx, owner, chainId);
  throw new ActionError(
    count === 0
      ? `There is no chain ${JSON.stringify(chainId)}. Start it with add_thought.`
      : `The chain ${JSON.stringify(chainId)} has no thought ${thoughtId}: its thoughts are 1 to ${count}.`,
    { reason: 'not_found' },
  );
}

/** The rows must be ordered by number and revision. */
function toThoughts(rows: readonly ThoughtRow[]): Thought[] {
  const thoughts: Thought[] = [];
  for (const { number, branch, follows, content, createdAt } of rows) {
    const known = thoughts.at(-1);
    if (known?.thoughtId !== number) {
      thoughts.push({ thoughtId: number, branch, follows, content, earlier: [], createdAt, updatedAt: createdAt });
    } else {
      known.earlier.push(known.content);
      known.content = content;
      known.updatedAt = createdAt;
    }
  }
  return thoughts;
}
