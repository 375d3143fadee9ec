import { z } from 'zod';
import { bearer, choices, endpoint, provider } from '../../../integrations/provider.ts';

const project = z.object({ id: z.string(), name: z.string() });

const projects = choices({
  request: { path: '/projects' },
  reads: z.object({ projects: z.array(project) }),
  options: ({ projects }) => projects.map(({ id, name }) => ({ label: name, value: id })),
});

export const tasks = provider({
  name: 'tasks',
  displayName: 'Tasks',
  description: 'Plan work in projects',
  logoUrl: null,
  categories: ['PROJECT_MANAGEMENT'],
  auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'API token', description: 'From Settings, API' }],
  baseUrl: 'https://api.tasks.example/v2',
  authenticate: bearer,
  errors: z.object({ error: z.string(), reason: z.string() }).transform(({ error, reason }) => ({ message: reason, code: error })),
  actions: {
    add_task: endpoint({
      displayName: 'Add task',
      description: 'Add a task to a project',
      category: 'write',
      input: z.object({
        project_id: z.string().min(1).max(100).describe('id of the project'),
        title: z.string().min(1).max(500),
        notify: z.array(z.email()).max(20).optional().describe('people who get an e-mail about it'),
      }),
      output: z.object({ id: z.string(), title: z.string() }),
      request: { method: 'POST', path: '/projects/{project_id}/tasks', json: ({ title, notify }) => ({ title, notify }) },
      recipients: ({ notify = [] }) => notify,
      dynamic: { project_id: projects },
    }),

    list_tasks: endpoint({
      displayName: 'List tasks',
      description: 'The tasks of a project',
      category: 'read',
      input: z.object({ project_id: z.string().min(1).max(100).describe('id of the project') }),
      output: z.object({ tasks: z.array(z.object({ id: z.string(), title: z.string() })) }),
      request: { path: '/projects/{project_id}/tasks' },
      paging: { cursor: 'page', size: { name: 'per_page', default: 50, max: 100 }, next: 'paging.next' },
      dynamic: { project_id: projects },
    }),
  },
});
