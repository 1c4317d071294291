export function Announcer() {
  return <div className="side" />;
}
