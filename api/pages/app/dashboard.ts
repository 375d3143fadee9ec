import type { Context, Middleware } from 'koa';
import { countWaiting } from '../../../commands/approvals/count-waiting.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { findSignedInMember } from '../../../commands/members/member-session.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { hasRole, principalOf } from '../../../domain/member.ts';
import { listWorkspaces } from '../../../store/workspaces.ts';
import { toGatewayError } from '../../middleware/render-errors.ts';
import { notFound } from '../../route.ts';
import { readFormOf } from '../layout/read-form.ts';
import { assertSameOrigin } from './assert-same-origin.ts';
import { assets } from './assets.ts';
import { type FoundScreen, screenFinder } from './find-screen.ts';
import { signInPath } from './next-path.ts';
import { keepNotice, takeNotice } from './notice.ts';
import { forbiddenPage, problemPageOf, signInAgainPage } from './problem-pages.ts';
import { askForRecentSignIn } from './recent-sign-in.ts';
import { type Frame, renderAppPage, setAppHeaders } from './render-app-page.ts';
import type { AppPage, Done, Screen, Visit, Visitor } from './screen.ts';
import { PUBLIC_SCREENS, SCREENS } from './screens.ts';
import { readSessionCookie } from './session-cookie.ts';

const PREFIX = '/app';
/** Maximum number of workspaces that the banner lists. */
const MAX_WORKSPACES = 500;

const findPublic = screenFinder(PUBLIC_SCREENS);
const findScreen = screenFinder(SCREENS);

/** `{platform_url}/app`: the dashboard, for members of organizations (docs/add-a-screen.md). */
export function dashboard(gateway: Gateway): Middleware {
  const root = new URL(gateway.config.platformUrl).pathname.replace(/\/$/, '') + PREFIX;
  return async (ctx, next) => {
    if (ctx.path !== PREFIX && !ctx.path.startsWith(`${PREFIX}/`)) return next();
    const path = ctx.path.slice(PREFIX.length).replace(/\/$/, '') || '/';
    setAppHeaders(ctx);
    const request: Request = { gateway, ctx, root, path, query: new URLSearchParams(ctx.querystring), frame: undefined };
    try {
      const file = /^\/assets\/([^/]+)$/.exec(path)?.[1];
      if (file !== undefined) (await assets()).serve(ctx, file);
      else await send(request, await answer(request));
    } catch (thrown) {
      await sendProblem(request, thrown);
    }
  };
}

interface Request extends Visitor {
  path: string;
  /** Known once the member is. */
  frame: Frame | undefined;
}

async function answer(request: Request): Promise<AppPage | Done> {
  const { ctx, path } = request;
  const form = await readPosted(request);
  const open = findPublic(path);
  if (open) return act(ctx, open.screen, request, form);

  const visit = await findVisit(request);
  if (!visit) return form ? signInAgainPage(ctx, form) : { seeOther: signInPath(path + ctx.search) };
  const found = findScreen(path);
  request.frame = await frameOf(visit, found?.screen, form === undefined ? takeNotice(ctx, request.gateway) : undefined);
  if (!found || !isKnownWorkspace(request.frame)) throw notFound();
  return admit({ ...visit, params: found.params }, found, form);
}

/** Checks the role, and the age of the sign-in where the screen asks for a recent one. */
async function admit(visit: Visit, { screen }: FoundScreen<Screen>, form: URLSearchParams | undefined): Promise<AppPage | Done> {
  if (!hasRole(visit.member.role, screen.role)) return forbiddenPage(screen.role);
  return (screen.isRecent ? askForRecentSignIn(visit, form) : undefined) ?? act(visit.ctx, screen, visit, form);
}

/** Runs the handler of a method. Throws METHOD_NOT_ALLOWED where the screen has none. */
async function act<Who extends Visitor>(
  ctx: Context,
  { get, post }: { get?(visit: Who): Promise<AppPage | Done>; post?(visit: Who & { form: URLSearchParams }): Promise<AppPage | Done> },
  visit: Who,
  form: URLSearchParams | undefined,
): Promise<AppPage | Done> {
  const handled = form ? post?.({ ...visit, form }) : get?.(visit);
  if (handled) return handled;
  ctx.set('Allow', [get && 'GET, HEAD', post && 'POST'].filter(Boolean).join(', '));
  throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
}

/**
 * The posted form; undefined for GET and HEAD. Throws ORIGIN_NOT_ALLOWED for another site's form.
 */
async function readPosted({ ctx, gateway }: Request): Promise<URLSearchParams | undefined> {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return undefined;
  if (ctx.method !== 'POST') {
    ctx.set('Allow', 'GET, HEAD, POST');
    throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
  }
  assertSameOrigin(ctx, gateway.config);
  return readFormOf(ctx);
}

async function findVisit({ gateway, ctx, query, root }: Request): Promise<Visit | undefined> {
  const member = await findSignedInMember(gateway, readSessionCookie(ctx, gateway.config));
  if (!member) return undefined;
  const workspaceId = query.get('workspace') || undefined;
  return { gateway, ctx, query, root, member, principal: principalOf(member), params: {}, workspaceId };
}

async function frameOf(visit: Visit, screen: Screen | undefined, notice: string | undefined): Promise<Frame> {
  const { gateway, member } = visit;
  const [{ items }, waiting] = await Promise.all([
    listWorkspaces(gateway.db, { orgId: member.orgId }, { limit: MAX_WORKSPACES, offset: 0 }),
    countWaiting(gateway, member),
  ]);
  return { visit, screen, workspaces: items, waiting, notice };
}

function isKnownWorkspace({ visit: { workspaceId }, workspaces }: Frame): boolean {
  return workspaceId === undefined || workspaces.some(({ id }) => id === workspaceId);
}

async function send({ ctx, gateway, root, frame }: Request, result: AppPage | Done): Promise<void> {
  if ('template' in result) return renderAppPage(ctx, root, result, frame);
  if (result.done !== undefined) keepNotice(ctx, gateway, result.done);
  ctx.status = 303;
  ctx.set('Location', root + (result.seeOther === '/' ? '' : result.seeOther));
  ctx.body = '';
}

async function sendProblem(request: Request, thrown: unknown): Promise<void> {
  const { ctx, gateway, root, frame } = request;
  const error = toGatewayError(thrown);
  if (error.code === 'INTERNAL_ERROR') gateway.logger.error({ requestId: ctx.state.requestId, err: thrown }, 'page failed');
  if (error.code === 'UNAVAILABLE') ctx.set('Retry-After', '1');
  await renderAppPage(ctx, root, problemPageOf(error, ctx.state.requestId), frame);
}
