import { useState } from "react";
import { areLettersOn, switchLetters } from "../../app/shortcuts.ts";
import { setTheme, THEMES, useTheme } from "../../app/theme.ts";

const WORDS = { system: "System", light: "Light", dark: "Dark" } as const;

/** The theme, and whether single letters act. Kept in this browser. */
export function Preferences() {
  const current = useTheme();
  const [areOn, setOn] = useState(areLettersOn);
  return (
    <div className="flex wrap" style={{ gap: "10px 20px", marginTop: 12 }}>
      <span>
        Theme{" "}
        <span className="seg" role="group" aria-label="Theme of this browser">
          {THEMES.map((theme) => (
            <button key={theme} type="button" aria-pressed={theme === current} onClick={() => setTheme(theme)}>
              {WORDS[theme]}
            </button>
          ))}
        </span>
      </span>
      <label className="flex">
        <input
          type="checkbox"
          checked={areOn}
          onChange={({ target }) => {
            switchLetters(target.checked);
            setOn(target.checked);
          }}
        />
        Single letters are keys, such as c for a new task
      </label>
    </div>
  );
}
