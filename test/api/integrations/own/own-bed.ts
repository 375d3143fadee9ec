import { aReceiver, type Receiver } from '../../../support/receiver.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';

export const I = '/api/v1/integrations';

export interface OwnBed extends ApiBed {
  /** The third party whose API is imported. Answers requests with a task. */
  thirdParty: Receiver;
}

/** Opens the API and a third party. */
export async function openOwnBed(env: Record<string, string> = {}): Promise<OwnBed> {
  const [bed, thirdParty] = await Promise.all([openApiBed(env), aReceiver()]);
  thirdParty.answerWith(() => ({ status: 200, body: '{"id":"t1","title":"First"}' }));
  return { ...bed, thirdParty, close: () => Promise.all([bed.close(), thirdParty.close()]).then(() => {}) };
}

const task = { type: 'object', properties: { id: { type: 'string' }, title: { type: 'string' } } };

const id = { type: 'string', description: 'Id of the task' };

export const GET_TASK = {
  displayName: 'Get a task',
  description: 'Gets one task.',
  category: 'read',
  input: { properties: { id }, required: ['id'] },
  output: { $ref: '#/$defs/task' },
  request: { path: '/tasks/{id}' },
};

export const CREATE_TASK = {
  displayName: 'Create a task',
  description: 'Creates a task.',
  category: 'write',
  input: { properties: { title: { type: 'string', description: 'Title of the task' } }, required: ['title'] },
  output: { $ref: '#/$defs/task' },
  request: { method: 'POST', path: '/tasks', json: true },
};

/** A declarative document that describes the tasks API at this address. */
export function tasksAt(url: string, changes: object = {}) {
  return {
    format: 1,
    displayName: 'Tasks',
    description: 'Tasks of a team.',
    categories: ['PRODUCTIVITY'],
    auth: null,
    baseUrl: url,
    $defs: { task },
    actions: { get_task: GET_TASK, create_task: CREATE_TASK },
    ...changes,
  };
}

/** Imports a declarative document under this name. */
export function importTasks(bed: Pick<OwnBed, 'api'>, name: string, document: unknown, more: object = {}) {
  return bed.api.must(201).post(`${I}/import`, { kind: 'declarative', name, document, ...more });
}
