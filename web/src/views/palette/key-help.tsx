import { useActiveShortcuts } from "../../app/shortcuts.ts";
import { Key } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** The keys that work in the current view. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const shortcuts = useActiveShortcuts();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="kv">
        {shortcuts.map(({ keys, label }) => (
          <div key={`${keys} ${label}`} style={{ display: "contents" }}>
            <dt>
              <Key>{keys}</Key>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
