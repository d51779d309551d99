"""A Slurm cluster of one node on this machine: munged, slurmctld and slurmd in a folder of their own.

From Debian's packages munge and slurm-wlm. Servers listen on loopback only; accounting is off, so jobs are followed
by squeue. The node's two GPUs are device files that every machine has: what is tested is who gets one.
"""

import getpass
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from leash.processes import die_with_parent

SBIN = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scontrol", "scancel")
GPUS = ("/dev/null", "/dev/zero")
CONF = """\
ClusterName=leash
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MinJobAge=7200
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=256000 Gres=gpu:{gpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
PATIENCE = 30.0  # seconds for a server to come up or to go


def missing() -> list[str]:
    """Programs of Slurm and munge that are not installed."""
    return [name for name in NEEDED if shutil.which(name, path=SBIN) is None]


def free_ports(count: int) -> list[int]:
    """Ports that nothing on loopback listens on."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Cluster:
    """A running cluster; `with Cluster() as cluster`. Ends what it started, by process id, and removes its folder."""

    def __init__(self) -> None:
        # not a test's folder: munge wants one that others may enter, and a socket's path is short
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self._servers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        try:
            self._write()
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def environment(self) -> dict[str, str]:
        """What a process needs to use this cluster; settings of a Slurm job around it are left out."""
        outside = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))
        }
        return outside | {"PATH": f"{self.folder}/bin:{SBIN}", "SLURM_CONF": str(self.folder / "slurm.conf")}

    def ask(self, *command: str) -> str:
        """What a Slurm command prints. Raises CalledProcessError where it fails."""
        return subprocess.run(
            command, env=self.environment(), check=True, capture_output=True, text=True, timeout=PATIENCE
        ).stdout

    def jobs(self) -> list[dict[str, str]]:
        """scontrol's fields of every job that the controller still knows, by field."""
        lines = self.ask("scontrol", "--oneliner", "--details", "show", "job").splitlines()
        return [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in lines if line.startswith("JobId=")]

    def _write(self) -> None:
        self.folder.chmod(0o755)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        controller_port, node_port = free_ports(2)
        (self.folder / "slurm.conf").write_text(
            CONF.format(
                folder=self.folder,
                host=socket.gethostname().partition(".")[0],
                user=getpass.getuser(),
                controller_port=controller_port,
                node_port=node_port,
                cpus=max(2, os.cpu_count() or 2),
                gpus=len(GPUS),
            )
        )
        # the plugin takes every SLURM_ variable from its srun, which then looks for /etc/slurm/slurm.conf
        srun = self.folder / "bin/srun"
        srun.parent.mkdir()
        srun.write_text(
            f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {shutil.which("srun", path=SBIN)} "$@"\n'
        )
        srun.chmod(0o755)
        (self.folder / "gres.conf").write_text("".join(f"Name=gpu File={file}\n" for file in GPUS))

    def _start(self) -> None:
        files = {
            "--key-file": "munge.key",
            "--socket": "munge.socket",
            "--pid-file": "munge.pid",
            "--log-file": "munge.log",
            "--seed-file": "munge.seed",
        }
        options = [f"{option}={self.folder / file}" for option, file in files.items()]
        self._serve("munged", "--foreground", "--force", *options)
        self._wait("munged", lambda: (self.folder / "munge.socket").exists())
        self._serve("slurmctld", "-D")
        self._serve("slurmd", "-D")
        self._wait("slurmd", lambda: "idle" in self._state())

    def _state(self) -> str:
        try:
            return self.ask("sinfo", "--noheader", "--format=%T")
        except subprocess.CalledProcessError:
            return ""

    def _serve(self, *command: str) -> None:
        with (self.folder / f"{command[0]}.out").open("wb") as out:
            self._servers.append(
                subprocess.Popen(
                    command,
                    env=self.environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    preexec_fn=die_with_parent,
                    start_new_session=True,
                )
            )

    def _wait(self, name: str, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while any(one.poll() is not None for one in self._servers) or not ready():
            if any(one.poll() is not None for one in self._servers) or time.monotonic() > deadline:
                said = "\n".join(path.read_text() for path in sorted(self.folder.glob("*.out")))
                raise RuntimeError(f"{name} does not come up:\n{said}")
            time.sleep(0.2)

    def _end(self) -> None:
        if len(self._servers) == 3 and all(one.poll() is None for one in self._servers):
            subprocess.run(
                ["scancel", "--user", getpass.getuser()], env=self.environment(), capture_output=True
            )
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline and "idle" not in self._state():
                time.sleep(0.2)
        for server in reversed(self._servers):
            server.terminate()
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
