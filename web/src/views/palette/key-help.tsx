import { areLettersOn, type Shortcut, switchLetters, useActiveShortcuts } from "../../app/shortcuts.ts";
import { useId, useState } from "react";
import { Key } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { groupKeys, nameOfKey } from "./group-keys.ts";

/** The keys that work in the current view, and the switch for single letters. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const groups = groupKeys(useActiveShortcuts());
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div className="keys">
        {groups.map(({ title, shortcuts }) => (
          <section key={title}>
            <h3 className="lab">{title}</h3>
            <dl>
              {shortcuts.map((shortcut) => (
                <KeyRow key={shortcut.keys} shortcut={shortcut} />
              ))}
            </dl>
          </section>
        ))}
      </div>
      <LetterSwitch />
    </Dialog>
  );
}

function KeyRow({ shortcut: { keys, label } }: { shortcut: Shortcut }) {
  return (
    <div className="key-row">
      <dt>
        {keys.split(" ").map((key, index) => (
          <Key key={`${key} ${index}`}>{nameOfKey(key)}</Key>
        ))}
      </dt>
      <dd dir="auto">{label}</dd>
    </div>
  );
}

/** Speech input may trigger single letters by accident. */
function LetterSwitch() {
  const id = useId();
  const [isOn, setOn] = useState(areLettersOn);
  return (
    <div className="flex check-field">
      <input
        type="checkbox"
        id={id}
        checked={isOn}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => {
          switchLetters(target.checked);
          setOn(target.checked);
        }}
      />
      <div>
        <label htmlFor={id}>Use single letters as keys</label>
        <span className="hint" id={`${id}-hint`}>
          Switch them off if you dictate text.
        </span>
      </div>
    </div>
  );
}
