import { autocompletion, type Completion, type CompletionContext, type CompletionResult, closeBrackets } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, defaultHighlightStyle, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';

/** Alias → action → inputs. */
type Words = Record<string, Record<string, string[]>>;

/** Maps colours of the default style to colours with enough contrast on dark pages. */
const DARK: Record<string, string> = {
  ...{ '#404740': '#c9d1cc', '#708': '#d7a6ff', '#219': '#9db4ff', '#164': '#7fd9b3', '#a11': '#ffa198', '#e40': '#ffb38a' },
  ...{ '#00f': '#9db4ff', '#30a': '#c3b1ff', '#085': '#6fd9c0', '#167': '#7cc7e8', '#256': '#8fd0df', '#00c': '#a9b8ff' },
  ...{ '#940': '#e0b080', '#f00': '#ff9d92' },
};
/** Replaces colours with too little contrast on light pages. */
const LIGHT: Record<string, string> = { '#e40': '#a83200', '#085': '#00663f', '#940': '#7d3800', '#f00': '#a8261d' };

const style = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) => ({
    ...spec,
    ...(color && { color: `light-dark(${LIGHT[color] ?? color}, ${DARK[color] ?? '#e8edea'})` }),
  })),
);

const theme = EditorView.theme({
  '&': { border: '1px solid var(--edge)', borderRadius: '10px', backgroundColor: 'var(--card)', color: 'var(--ink)', overflow: 'hidden' },
  '&.cm-focused': { outline: '3px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.9375rem', lineHeight: '1.6', maxHeight: '70vh', overflow: 'auto' },
  '.cm-content': { minHeight: '18rem', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunk)', color: 'var(--soft)', border: 'none' },
  '.cm-tooltip': { backgroundColor: 'var(--card)', color: 'var(--ink)', border: '1px solid var(--edge)', borderRadius: '8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--accent-ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#cfe3ff, #2b4468)',
  },
});

/**
 * Replaces selected text with typed text without the browser's editing. A browser would add the
 * colour of the old text as an inline style, which the page's Content-Security-Policy forbids.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    if (event.inputType !== 'insertText' || event.data === null || empty || view.composing) return false;
    const typed = event.data;
    const insert = () => view.state.update(view.state.replaceSelection(typed), { userEvent: 'input.type', scrollIntoView: true });
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, typed, insert));
    if (!isHandled) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

const READ = 2000;

function complete(words: () => Promise<Words>) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.state.sliceDoc(Math.max(0, context.pos - READ), context.pos);
    const typed = /[\w$]*$/.exec(before)![0];
    const lead = before.slice(0, before.length - typed.length);
    const [, alias, action] = /\bsvc\.(?:([\w$]+)\.(?:([\w$]+)\(\s*\{(?:[^{}]*[,\s])?)?)?$/.exec(lead) ?? [];
    if (!/\bsvc\.$/.test(lead) && alias === undefined) return null;
    const known = await words();
    const options = alias === undefined ? names(known, 'namespace') : namesOf(known[alias], action);
    return options.length === 0 ? null : { from: context.pos - typed.length, options, validFor: /^[\w$]*$/ };
  };
}

function namesOf(actions: Words[string] | undefined, action: string | undefined): Completion[] {
  if (action === undefined) return names(actions ?? {}, 'function');
  return (actions?.[action] ?? []).map((label) => ({ label, type: 'property' }));
}

function names(of: object, type: string): Completion[] {
  return Object.keys(of).map((label) => ({ label, type }));
}

/**
 * Shows an editor in place of a text area, which the form still sends. The editor is in a shadow
 * root, where its style sheets comply with the page's Content-Security-Policy.
 */
export function openEditor(area: HTMLTextAreaElement, label: string, words: () => Promise<Words>): void {
  const host = document.createElement('div');
  area.after(host);
  const root = host.attachShadow({ mode: 'open' });
  const { selectionStart: anchor, selectionEnd: head } = area;
  const hadFocus = document.activeElement === area;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: area.value,
      selection: { anchor: Math.min(anchor, area.value.length), head: Math.min(head, area.value.length) },
      extensions: [
        ...[
          theme,
          syntaxHighlighting(style),
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
        ],
        ...[javascript(), autocompletion({ override: [complete(words)], icons: false }), EditorView.lineWrapping],
        typeOverSelection,
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) area.value = state.doc.toString();
        }),
      ],
    }),
  });
  area.hidden = true;
  if (hadFocus) view.focus();
}
