import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { isRecord } from '../../domain/unknown-values.ts';
import { sameSecret } from '../../infra/tokens.ts';

interface CallState {
  tokenId: string;
  tool: string;
  approvalId: string;
}

interface PageToOpen {
  key: 'connect' | 'approval';
  url: string;
  message: string;
  approvalId?: string;
}

const codecs = new WeakMap<Gateway, RequestStateCodec<CallState>>();

/** Signs and verifies the request state of URL elicitations. Every replica has the same key. */
export function callStateCodec(gateway: Gateway): RequestStateCodec<CallState> {
  const codec = codecs.get(gateway) ?? createRequestStateCodec<CallState>({ key: gateway.tokens.key('mcp request state') });
  codecs.set(gateway, codec);
  return codec;
}

/**
 * Returns a URL elicitation for the connect page that `result` names, or for its approval page if
 * the MCP server elicits approvals (revision 2026-07-28, decision record 49). Returns `result`
 * itself if there is no such page, if the client cannot open URLs, or if the client was already
 * asked during the call.
 */
export async function elicitUrl(
  gateway: Gateway,
  { principal, server }: McpSession,
  tool: string,
  result: CallToolResult,
  { envelope, inputResponses }: ServerContext['mcpReq'],
): Promise<CallToolResult | InputRequiredResult> {
  if (!opensUrls(envelope)) return result;
  const page = pageToOpen(result, server.settings.approvalElicitation === true);
  if (!page || Object.hasOwn(inputResponses ?? {}, page.key)) return result;
  const { key, url, message, approvalId } = page;
  const requestState = approvalId && (await callStateCodec(gateway).mint({ tokenId: principal.id, tool, approvalId }));
  return inputRequired({ inputRequests: { [key]: inputRequired.elicitUrl({ url, message }) }, ...(requestState && { requestState }) });
}

/**
 * Like `elicitUrl`, for a client of revision 2025-11-25 that opens URLs: throws
 * UrlElicitationRequiredError. Returns `result` itself if there is no page to open. Also returns it
 * if a repeated request could not continue the code run that waits.
 */
export function requireUrl({ server }: McpSession, input: Record<string, unknown>, result: CallToolResult): CallToolResult {
  const page = pageToOpen(result, server.settings.approvalElicitation === true);
  if (!page || (page.key === 'approval' && server.mode === 'CODE' && input.approvalId === undefined)) return result;
  const { url, message, approvalId: elicitationId = randomUUID() } = page;
  throw new UrlElicitationRequiredError([{ mode: 'url', elicitationId, url, message }], message);
}

/**
 * Returns the id of the approval that an earlier attempt of this call waited for. Returns undefined
 * for the state of another token or tool.
 */
export function approvalOfState({ principal }: McpSession, tool: string, state: CallState | undefined): string | undefined {
  return state && sameSecret(state.tokenId, principal.id) && state.tool === tool ? state.approvalId : undefined;
}

function opensUrls(envelope: ServerContext['mcpReq']['envelope']): boolean {
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities };
  return capabilities?.elicitation?.url !== undefined;
}

function pageToOpen({ structuredContent }: CallToolResult, mayElicitApproval: boolean): PageToOpen | undefined {
  const { status, error, approval } = (structuredContent ?? {}) as Record<string, unknown>;
  if (isRecord(error)) return connectPage(error);
  const isGate = status === 'approval_required' || status === 'approval_pending';
  if (!isGate || !mayElicitApproval || !isRecord(approval) || typeof approval.hostedApprovalUrl !== 'string') return undefined;
  const message = String((structuredContent as Record<string, unknown>).description);
  return { key: 'approval', url: approval.hostedApprovalUrl, message, approvalId: String(approval.id) };
}

/**
 * Returns undefined for a code run that already made calls, because the client would repeat the
 * request and thus these calls.
 */
function connectPage({ code, message, details }: Record<string, unknown>): PageToOpen | undefined {
  if (code !== 'CONNECTION_REQUIRED' || !isRecord(details) || details.mayRepeat === false) return undefined;
  return typeof details.connectUrl === 'string' ? { key: 'connect', url: details.connectUrl, message: String(message) } : undefined;
}
