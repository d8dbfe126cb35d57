import { Monitor, Moon, Sun } from "lucide-react";
import { setTheme, useTheme } from "./theme.ts";

const CHOICES = [
  { theme: "system", label: "Theme of the system", icon: Monitor },
  { theme: "light", label: "Light theme", icon: Sun },
  { theme: "dark", label: "Dark theme", icon: Moon },
] as const;

export function ThemeSwitch() {
  const current = useTheme();
  return (
    <span className="themes" role="group" aria-label="Theme">
      {CHOICES.map(({ theme, label, icon: Icon }) => (
        <button
          key={theme}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={theme === current}
          onClick={() => setTheme(theme)}
        >
          <Icon size={14} aria-hidden />
        </button>
      ))}
    </span>
  );
}
