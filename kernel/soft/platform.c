// SPDX-License-Identifier: GPL-2.0-only
/* Platform devices: what a virtual device hangs on, so that it can be unbound like any other. */
#include <drm/drm_file.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/slab.h>
#include "device.h"
#include "soft.h"

static bool default_device = true;
module_param(default_device, bool, 0444);
MODULE_PARM_DESC(default_device, "make one virtual device at load (default: y)");

static char *default_config = "";
module_param(default_config, charp, 0444);
MODULE_PARM_DESC(default_config, "of that device: name=value,... as in configfs, timing.NAME too");

static struct platform_device *tsr_default_device;
struct workqueue_struct *tsr_soft_wq;

/* Platform data; the copy that the platform device owns is the only one. */
struct tsr_soft_pdata {
	struct tsr_soft_config config;
	int err;			/* why the probe failed */
};

static int tsr_soft_probe(struct platform_device *pdev)
{
	struct tsr_soft_pdata *pdata = dev_get_platdata(&pdev->dev);
	struct tsr_hw_config hw_config;
	struct tsr_device *tdev;
	struct tsr_soft *soft;

	if (!pdata)
		return -ENODEV;
	/* It reads and writes memory as a processor does: none is out of its reach. */
	pdata->err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (pdata->err)
		return pdata->err;
	soft = tsr_soft_new(&pdata->config);
	if (IS_ERR(soft)) {
		pdata->err = PTR_ERR(soft);
		return pdata->err;
	}
	hw_config = soft->hw_config;
	hw_config.name = pdata->config.name;

	/* From here it is the driver's, also when that fails. */
	tdev = tsr_device_create(&pdev->dev, &tsr_soft_ops, soft, &hw_config);
	pdata->err = PTR_ERR_OR_ZERO(tdev);
	if (!pdata->err)
		platform_set_drvdata(pdev, tdev);
	return pdata->err;
}

static void tsr_soft_remove(struct platform_device *pdev)
{
	tsr_device_unplug(platform_get_drvdata(pdev));
	platform_set_drvdata(pdev, NULL);
}

static int tsr_soft_suspend(struct device *dev)
{
	return tsr_device_suspend(dev_get_drvdata(dev));
}

static int tsr_soft_resume(struct device *dev)
{
	tsr_device_resume(dev_get_drvdata(dev));
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(tsr_soft_pm_ops, tsr_soft_suspend, tsr_soft_resume);

static struct platform_driver tsr_soft_driver = {
	.probe = tsr_soft_probe,
	.remove = tsr_soft_remove,
	.driver = {
		.name = "tessera-soft",
		.pm = pm_sleep_ptr(&tsr_soft_pm_ops),
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

struct platform_device *tsr_soft_device_new(const struct tsr_soft_config *cfg)
{
	struct tsr_soft_pdata *pdata;
	struct platform_device *pdev;
	int ret;

	pdata = kzalloc(sizeof(*pdata), GFP_KERNEL);
	if (!pdata)
		return ERR_PTR(-ENOMEM);
	pdata->config = *cfg;
	pdata->err = -ENXIO;
	pdev = platform_device_register_data(NULL, tsr_soft_driver.driver.name,
					     PLATFORM_DEVID_AUTO, pdata, sizeof(*pdata));
	kfree(pdata);
	/* What the driver core says when there is no memory for the device's name. */
	if (pdev == ERR_PTR(-EINVAL))
		return ERR_PTR(-ENOMEM);
	if (IS_ERR(pdev))
		return pdev;

	pdata = dev_get_platdata(&pdev->dev);
	ret = pdata->err;
	if (ret) {
		platform_device_unregister(pdev);
		return ERR_PTR(ret);
	}
	return pdev;
}

struct platform_device *tsr_soft_device_free(struct platform_device *pdev)
{
	platform_device_unregister(pdev);
	return NULL;
}

int tsr_soft_device_minor(struct platform_device *pdev)
{
	struct tsr_device *tdev;

	/* The driver may be unbound through sysfs at any time. */
	guard(device)(&pdev->dev);
	tdev = platform_get_drvdata(pdev);
	return tdev ? tdev->drm.accel->index : -ENODEV;
}

int tsr_soft_device_power(struct platform_device *pdev, bool on)
{
	/* As the PM core does it. */
	guard(device)(&pdev->dev);
	if (!platform_get_drvdata(pdev))
		return -ENODEV;
	return on ? tsr_soft_resume(&pdev->dev) : tsr_soft_suspend(&pdev->dev);
}

static int tsr_soft_default_config(struct tsr_soft_config *cfg)
{
	struct tsr_grid_config grid;
	const char *field;
	char *text;
	int ret;

	tsr_soft_config_default(cfg, "soft");
	text = kstrdup(default_config, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	ret = tsr_soft_config_parse(cfg, strim(text));
	kfree(text);
	return ret ?: tsr_soft_config_grid(cfg, &grid, &field);
}

/* What can be wrong is found before anything is visible. */
int tsr_soft_init(void)
{
	struct tsr_soft_config cfg;
	int ret;

	ret = tsr_soft_default_config(&cfg);
	if (ret)
		return ret;
	tsr_soft_wq = alloc_workqueue("tessera-soft", WQ_UNBOUND, 0);
	if (!tsr_soft_wq)
		return -ENOMEM;
	ret = platform_driver_register(&tsr_soft_driver);
	/* What the driver core says when there is no memory for a directory. */
	if (ret == -EINVAL)
		ret = -ENOMEM;
	if (ret)
		goto err_wq;
	if (default_device) {
		tsr_default_device = tsr_soft_device_new(&cfg);
		ret = PTR_ERR_OR_ZERO(tsr_default_device);
		if (ret)
			goto err_driver;
	}
	ret = tsr_soft_configfs_init();
	if (ret)
		goto err_device;
	return 0;

err_device:
	if (default_device)
		tsr_soft_device_free(tsr_default_device);
err_driver:
	platform_driver_unregister(&tsr_soft_driver);
err_wq:
	destroy_workqueue(tsr_soft_wq);
	return ret;
}

void tsr_soft_exit(void)
{
	tsr_soft_configfs_exit();
	if (default_device)
		tsr_soft_device_free(tsr_default_device);
	platform_driver_unregister(&tsr_soft_driver);
	destroy_workqueue(tsr_soft_wq);
}
