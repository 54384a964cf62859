# SPDX-License-Identifier: MIT
from . import hotplug
from .decorators import *
import tuned.logs

log = tuned.logs.get()

class SsdpmPlugin(hotplug.Plugin):
	"""
	`ssdpm`::

	Sets the power policy of SSDs: the latency tolerance of NVMe drives, from which
	Linux builds the table of autonomous power state transitions (APST), and the
	link policy of SATA drives.
	+
	The [option]`max_exit_latency_us` option is the time that an NVMe drive may take to
	wake, in microseconds, or `any`. With `0` the drive does not sleep by itself.
	+
	The [option]`lpm` option is a link policy: `max_performance`, `medium_power`,
	`med_power_with_dipm`, `min_power_with_partial` or `min_power`. The plug-in leaves
	external and hot-plug ports alone, and drives that lose data under a policy.
	+
	The plug-in needs the Python package `ssdpm`.
	+
	.NVMe drives wake within 25 ms, and SATA links sleep
	====
	----
	[ssdpm]
	max_exit_latency_us=25000
	lpm=med_power_with_dipm
	----
	====
	"""

	def __init__(self, *args, **kwargs):
		super(SsdpmPlugin, self).__init__(*args, **kwargs)

	def _init_devices(self):
		super(SsdpmPlugin, self)._init_devices()
		self._ssdpm = self._import_ssdpm()
		self._devices_supported = True
		self._free_devices = set()
		self._assigned_devices = set()
		if self._ssdpm is None:
			return
		for subsystem in ("nvme", "block"):
			for device in self._hardware_inventory.get_devices(subsystem):
				if self._device_is_supported(device):
					self._free_devices.add(device.sys_name)

	@classmethod
	def _import_ssdpm(cls):
		try:
			import ssdpm
		except ImportError as e:
			log.error("the Python package ssdpm is needed: %s" % e)
			return None
		return ssdpm

	@classmethod
	def _is_nvme(cls, name):
		return name.startswith("nvme")

	# NVMe controllers, and disks behind a SATA port
	@classmethod
	def _device_is_supported(cls, device):
		if device.subsystem == "nvme":
			return True
		return device.device_type == "disk" and device.sys_name.startswith("sd")

	def _get_device_objects(self, devices):
		return [self._hardware_inventory.get_device( \
			"nvme" if self._is_nvme(x) else "block", x) for x in devices]

	def _hardware_events_init(self):
		for subsystem in ("nvme", "block"):
			self._hardware_inventory.subscribe(self, subsystem, self._hardware_events_callback)

	def _hardware_events_cleanup(self):
		self._hardware_inventory.unsubscribe(self)

	def _hardware_events_callback(self, event, device):
		if self._ssdpm is not None and self._device_is_supported(device):
			super(SsdpmPlugin, self)._hardware_events_callback(event, device)

	@classmethod
	def _get_config_options(cls):
		return {
			"max_exit_latency_us"   : None,
			"lpm"                : None,
		}

	def _instance_init(self, instance):
		instance._has_static_tuning = True
		instance._has_dynamic_tuning = False

	def _instance_cleanup(self, instance):
		pass

	def _apply(self, device, fill):
		try:
			self._ssdpm.plan().apply(fill)
		except (self._ssdpm.Error, ValueError) as e:
			log.error("cannot set the policy of '%s': %s" % (device, e))
			return False
		return True

	def _read(self, device):
		try:
			return self._ssdpm.open(device)
		except self._ssdpm.Error as e:
			log.debug("cannot read '%s': %s" % (device, e))
			return None

	# TuneD passes the instance since 2.23
	@command_set("max_exit_latency_us", per_device = True)
	def _set_max_exit_latency_us(self, value, device, instance = None, sim = False, remove = False):
		if value is None or not self._is_nvme(device):
			return None
		value = str(value).strip()
		if value != "any" and not value.isdigit():
			log.error("max_exit_latency_us: '%s' is neither a number nor 'any'" % value)
			return None
		if sim:
			return value
		limit = value if value == "any" else int(value)
		if not self._apply(device, lambda plan: plan.add_latency_tolerance(device, limit)):
			return None
		return value

	@command_get("max_exit_latency_us")
	def _get_max_exit_latency_us(self, device, instance = None, ignore_missing = False):
		read = self._read(device) if self._is_nvme(device) else None
		if read is None or read.latency_tolerance_us is None:
			return None
		return str(read.latency_tolerance_us)

	@command_set("lpm", per_device = True)
	def _set_lpm(self, value, device, instance = None, sim = False, remove = False):
		if value is None or self._is_nvme(device):
			return None
		value = str(value).strip()
		if sim:
			return value
		if not self._apply(device, lambda plan: plan.add_lpm(device, value)):
			return None
		return value

	@command_get("lpm")
	def _get_lpm(self, device, instance = None, ignore_missing = False):
		read = self._read(device) if not self._is_nvme(device) else None
		return None if read is None else read.lpm
